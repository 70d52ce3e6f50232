import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { exportAgain } from "../src/commands/exportAgain.ts"

const none = Option.none<string>()
const all = { operatorUrl: none, as: none, tenant: "acme", format: "csv", period: none, from: none, to: none }

describe("the command that continues an export", () => {
  it("is about the same range, of the same service", () => {
    assert.match(
      exportAgain({ ...all, period: Option.some("2026-10") }, 7, "october.csv"),
      /export --tenant acme --format csv --period 2026-10 --through 7 --out october.csv --resume$/u
    )
    const range = { from: Option.some("2026-10-01"), to: Option.some("2026-10-08T12:00:00Z") }
    const elsewhere = { operatorUrl: Option.some("http://10.0.0.1:8081"), as: Option.some("ada") }
    assert.match(
      exportAgain({ ...all, ...range, ...elsewhere }, 7, "a week.csv"),
      /export --operator-url http:\/\/10\.0\.0\.1:8081 --as ada --tenant acme --format csv --from 2026-10-01 --to 2026-10-08T12:00:00Z --through 7 --out 'a week\.csv' --resume$/u
    )
  })

  it("says no more than was given", () => {
    assert.match(
      exportAgain(all, 7, "all.csv"),
      /export --tenant acme --format csv --through 7 --out all.csv --resume$/u
    )
  })
})
