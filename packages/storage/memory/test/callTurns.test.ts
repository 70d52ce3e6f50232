import { CallTurns } from "@bursar/core/port/CallTurns"
import * as Memory from "@bursar/memory"
import { callTurnsSuite } from "@bursar/testkit/suites/callTurnsSuite"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const state = Memory.emptyState()

callTurnsSuite("memory", Memory.layerOver(state), { second: Memory.layerOver(state), expires: false })

it.effect("numbers are microseconds, and rise when the clock jumps back", () =>
  Effect.gen(function* () {
    const turns = yield* CallTurns
    const number = turns.inTurn("key", 1, Effect.succeed)
    yield* TestClock.setTime(1_700_000_000_000)
    assert.strictEqual(yield* number, 1_700_000_000_000_000n)
    yield* TestClock.setTime(1_600_000_000_000)
    assert.strictEqual(yield* Clock.currentTimeMillis, 1_600_000_000_000)
    assert.strictEqual(yield* number, 1_700_000_000_000_001n)
  }).pipe(Effect.provide(Memory.layer))
)
