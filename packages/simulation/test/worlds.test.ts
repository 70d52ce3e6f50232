import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runWorld } from "../src/run/runWorld.ts"

describe("a world", () => {
  it.live(
    "has the same history for the same seed",
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* runWorld({ seed: 6 }), yield* runWorld({ seed: 6 })]
        assert.strictEqual(one.digest, other.digest)
        assert.notStrictEqual((yield* runWorld({ seed: 30 })).digest, one.digest)
      }),
    60_000
  )

  it.live(
    "is right, and came by something",
    () =>
      Effect.gen(function* () {
        const { violations, world } = yield* runWorld({ seed: 27, activeMs: 60_000 })
        assert.deepStrictEqual(violations, [])
        assert.isAbove(world.coverage.transitions.size, 5)
        assert.isAbove(world.faults.struck.size, 5)
      }),
    60_000
  )
})
