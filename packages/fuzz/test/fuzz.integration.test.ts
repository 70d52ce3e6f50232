import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkOperators } from "../src/isolation/checkOperators.ts"
import { fuzz, isolate, openStage } from "../src/run/fuzz.ts"

const calls = 400

it.live(
  "a running service keeps its tenants apart, and answers calls right and wrong as its contract says",
  () =>
    Effect.gen(function* () {
      const stage = yield* openStage(calls)
      const { cases, wrong } = yield* isolate(stage)
      assert.deepStrictEqual(wrong, [])
      assert.isAbove(cases, 200)

      const told: Array<string> = []
      const fuzzed = yield* fuzz(stage, {
        seed: 20_261_123,
        from: 0,
        calls,
        concurrency: 8,
        isOver: () => false,
        print: (line) => void told.push(line)
      })
      assert.deepStrictEqual(fuzzed.wrong, [], told.join("\n"))
      assert.strictEqual(fuzzed.outcome.calls, calls)
      const statuses = new Set([...fuzzed.outcome.statuses.values()].flatMap((row) => [...row.keys()]))
      for (const status of ["200", "201", "400", "401", "404", "422"]) assert.include([...statuses], status)

      // the same checks on a tenant's own records: they are not blind
      const [one] = stage.tenants
      assert.isAbove((yield* checkOperators(stage.service, one, one)).wrong.length, 10)
    }),
  480_000
)
