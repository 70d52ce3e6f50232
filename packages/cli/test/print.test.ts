import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { printRecord, printRows } from "../src/commands/print.ts"

/** What is printed. */
const printed = Effect.fnUntraced(function* (print: Effect.Effect<void>) {
  const lines: Array<string> = []
  const real = yield* Console.Console
  const log = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
  yield* Effect.provideService(print, Console.Console, { ...real, log })
  return lines.join("\n")
})

// a provider that would have an operator read another line than it wrote
const answered = "reason paid\u001b[2K\r\u009b1Astatus SETTLED\nstate APPROVED \u202eDELTTES"

describe("what is printed for people", () => {
  it.effect("hides nothing and adds no line, whatever partners and providers have written", () =>
    Effect.gen(function* () {
      const row = { call: "transfer", answered, all: [answered], deep: { answered } }
      const table = yield* printed(printRows(false, [row], ""))
      assert.lengthOf(table.split("\n"), 2)
      const record = yield* printed(printRecord(false, row))
      assert.lengthOf(record.split("\n"), 4)
      for (const text of [table, record]) {
        assert.notMatch(text.replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u)
        assert.include(text, "status SETTLED")
      }
    })
  )

  it.effect("is for programs as it is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(JSON.parse(yield* printed(printRecord(true, { answered }))), { answered })
      assert.deepStrictEqual(JSON.parse(yield* printed(printRows(true, [{ answered }], ""))), [{ answered }])
    })
  )
})
