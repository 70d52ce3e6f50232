import { makeMissing } from "@bursar/network-kit/missing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const start = Date.UTC(2026, 0)

it.effect("is not asked for what it lacks within the minute in which it said so, and for nothing else", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { forget, has, note } = makeMissing()
    assert.isFalse(yield* has("a"))
    yield* note("a")
    assert.deepStrictEqual([yield* has("a"), yield* has("b")], [true, false])
    yield* TestClock.adjust("59 seconds")
    assert.isTrue(yield* has("a"))
    yield* TestClock.adjust("1 second")
    assert.isFalse(yield* has("a"))
    yield* note("a")
    forget("a")
    assert.isFalse(yield* has("a"))
  })
)

it.effect("is asked again when the clock was put back", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { has, note } = makeMissing()
    yield* note("a")
    yield* TestClock.setTime(start - 3_600_000)
    assert.isFalse(yield* has("a"))
  })
)
