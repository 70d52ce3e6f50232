import { SuspenseTaken } from "@bursar/core/operation/SuspenseTaken"
import { Queries } from "@bursar/core/store/Queries"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { suspenseTaken } from "../src/migrations/suspenseTaken.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

describe("what adjustments have taken out of suspense without naming an arrival", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is counted, and was before the upgrade", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ kind: "SANDBOX" })
        const other = yield* newTenant()
        const against = "suspense"
        yield* commitAt(
          id,
          past,
          adjust(7n, "ETH", { against }),
          adjust(5n, "ETH", { against }),
          // what is put back does not say whose it was
          adjust(-4n, "ETH", { against }),
          adjust(3n, "EUR"),
          // into a place out of suspense, and back, which is moved and not credited
          adjust(3n, "EUR", { from: against, against: "bank" }),
          adjust(2n, "EUR", { from: "bank", against })
        )
        const { records } = yield* Queries
        const counted = [
          { currency: "ETH", units: 12n },
          { currency: "EUR", units: 2n }
        ]
        assert.deepStrictEqual(yield* records(id, SuspenseTaken), counted)
        const sql = yield* client(url)
        yield* sql`drop table suspense_taken`
        yield* Effect.forEach(suspenseTaken.statements(sql), (statement) => statement, { discard: true })
        assert.deepStrictEqual(yield* records(id, SuspenseTaken), counted)
        assert.deepStrictEqual(yield* records(other.id, SuspenseTaken), [])
      })
    )
  })
})
