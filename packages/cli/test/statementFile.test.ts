import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readStatements } from "../src/commands/statementFile.ts"
import { tempDir } from "./support/tempDir.ts"

/** Reads a CSV file of one line, of a period. */
const reading = Effect.fnUntraced(function* (from: string, to: string) {
  const folder = yield* tempDir
  const [file, mapping] = [join(folder, "lines.csv"), join(folder, "mapping.json")]
  writeFileSync(file, "txid,time,amount\nA,2026-02-10,1\n")
  const columns = { at: "time", amount: "amount", id: "txid" }
  writeFileSync(mapping, JSON.stringify({ columns, currency: "EUR" }))
  return yield* readStatements({
    file,
    format: "csv",
    mapping: Option.some(mapping),
    account: Option.none(),
    statement: Option.some("S"),
    from: Option.some(from),
    to: Option.some(to)
  })
})

describe("the period of a statement", () => {
  it.live("is of days, or of times that say their zone", () =>
    Effect.gen(function* () {
      const [days] = yield* reading("2026-02-01", "2026-03-01")
      assert.deepInclude(days, { from: Date.UTC(2026, 1, 1), to: Date.UTC(2026, 2, 1) })
      const [times] = yield* reading("2026-02-01T00:00:00+01:00", "2028-02-29T12:00:00Z")
      assert.deepInclude(times, { from: Date.UTC(2026, 0, 31, 23), to: Date.UTC(2028, 1, 29, 12) })
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live.each([
    ["a day that does not exist", "2026-02-30"],
    ["a time of such a day", "2026-02-30T00:00:00Z"],
    ["the 29th of February of a common year", "2026-02-29"],
    ["a time without a zone: it would be the machine's", "2026-03-01T00:00:00"],
    ["words", "yesterday"]
  ] as const)("is not of %s", ([, text]) =>
    Effect.gen(function* () {
      for (const [from, to, flag] of [
        [text, "2026-04-01", "--from"],
        ["2026-01-01", text, "--to"]
      ] as const)
        assert.include((yield* Effect.flip(reading(from, to))).message, `${flag}: ${text} is no day`)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
