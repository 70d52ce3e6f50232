import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { programAt } from "../../cli/test/support/programAt.ts"
import { checkOperators } from "../src/isolation/checkOperators.ts"
import { fuzz, isolate, openStage } from "../src/run/fuzz.ts"
import { fuzzOperators } from "../src/run/fuzzOperators.ts"

const calls = 200

const programs = {
  cli: programAt(new URL("../../cli/src/main.ts", import.meta.url)),
  dev: programAt(new URL("../../dev/src/main.ts", import.meta.url))
}

it.live(
  "a running service keeps its tenants apart, and answers calls right and wrong as its contract says",
  () =>
    Effect.gen(function* () {
      const stage = yield* openStage(calls, programs)
      const { cases, wrong } = yield* isolate(stage)
      assert.deepStrictEqual(wrong, [])
      assert.isAbove(cases, 200)

      const told: Array<string> = []
      const options = {
        seed: 20_261_123,
        from: 0,
        calls,
        concurrency: 8,
        isOver: () => false,
        print: (line: string) => void told.push(line)
      }
      const runs = [yield* fuzz(stage, options), yield* fuzzOperators(stage, options)]
      for (const { outcome, wrong } of runs) {
        assert.deepStrictEqual(wrong, [], told.join("\n"))
        assert.strictEqual(outcome.calls, calls)
        const statuses = new Set([...outcome.statuses.values()].flatMap((row) => [...row.keys()]))
        for (const status of ["200", "201", "400", "401", "404", "422"]) assert.include([...statuses], status)
      }

      // the same checks on a tenant's own records: they are not blind
      const [one] = stage.tenants
      assert.isAbove((yield* checkOperators(stage.service, one, one)).wrong.length, 10)
    }),
  480_000
)
