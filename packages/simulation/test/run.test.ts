import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { reportOf } from "../src/run/Report.ts"
import { runReported } from "../src/run/runReported.ts"
import { runWorld } from "../src/run/runWorld.ts"
import { simulate } from "../src/run/simulate.ts"

const printed = (options: { readonly threads: number; readonly worlds: number }) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    yield* simulate({ ...options, seed: 5, print: (line) => void lines.push(line) })
    // the last line says how long it took
    return lines.slice(0, -1)
  })

describe("a run", () => {
  it.live(
    "says the same on one thread and on two",
    () =>
      Effect.gen(function* () {
        const alone = yield* printed({ threads: 1, worlds: 2 })
        assert.deepStrictEqual(yield* printed({ threads: 2, worlds: 2 }), alone)
        assert.include(alone.at(-1), "2 worlds, 0 failed")
      }),
    120_000
  )

  it.live(
    "fails a world that does not end, and names it without running it again",
    () =>
      Effect.gen(function* () {
        const { seed, violations } = yield* runReported({ seed: 27, mistake: null, stepsMax: 500 })
        assert.deepStrictEqual([seed, violations], [27, ["end: it did not end in 500 steps"]])
      }),
    60_000
  )

  it.live(
    "fails a world that exercises nothing",
    () =>
      Effect.gen(function* () {
        const outcome = yield* runWorld({ seed: 27, activeMs: 20_000 })
        assert.deepStrictEqual(reportOf(outcome).violations, [])
        const { world } = outcome
        const idle = { ...outcome, world: { ...world, coverage: { ...world.coverage, transitions: new Map() } } }
        assert.deepStrictEqual(reportOf(idle).violations, ["coverage: nothing happened"])
      }),
    60_000
  )
})
