import { makeExpiring } from "@bursar/server/keys/Expiring"
import { interruptedAt, pausedAt, steps } from "@bursar/testkit/fixtures/interruptedAt"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** A storage that answers when it is told to, and counts how often it was asked. */
const storage = () => {
  const asked: Array<Deferred.Deferred<string | undefined, string>> = []
  const load = (_key: string) =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<string | undefined, string>()
      asked.push(answer)
      return Deferred.await(answer)
    })
  const end = (at: number, result: Effect.Effect<string | undefined, string>) =>
    Effect.sync(() => {
      const waits = asked[at]
      if (waits !== undefined) Deferred.doneUnsafe(waits, result)
    })
  const answer = (at: number, value: string | undefined) => end(at, Effect.succeed(value))
  const fail = (at: number) => end(at, Effect.fail("down"))
  const { get } = makeExpiring({ load, keep: (value) => value !== undefined, ttl: "4 seconds", capacity: 2 })
  const getNow = (key: string) => Effect.flatMap(Clock.currentTimeMillis, (now) => get(key, now))
  return { asked, answer, fail, get: getNow }
}

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("what is read and believed for a while", () => {
  it.effect("is read once for all who ask meanwhile, and again when it has expired", () =>
    Effect.gen(function* () {
      const { answer, asked, get } = storage()
      const all = yield* Effect.forEach(Array.from({ length: 100 }), () => fork(get("a")))
      assert.strictEqual(asked.length, 1)
      yield* answer(0, "one")
      for (const one of all) assert.strictEqual(yield* Fiber.join(one), "one")
      assert.strictEqual(yield* get("a"), "one")
      yield* TestClock.adjust("4 seconds")
      const later = yield* fork(get("a"))
      yield* answer(1, "two")
      assert.strictEqual(yield* Fiber.join(later), "two")
      assert.strictEqual(asked.length, 2)
    })
  )

  it.effect("is read by oneself where a reading on its way began too long ago", () =>
    Effect.gen(function* () {
      const { answer, asked, get } = storage()
      yield* fork(get("a"))
      yield* TestClock.adjust("4 seconds")
      const later = yield* fork(get("a"))
      yield* answer(0, "old")
      yield* answer(1, "new")
      assert.strictEqual(yield* Fiber.join(later), "new")
      assert.strictEqual(asked.length, 2)
    })
  )

  it.effect("is read by each for itself where there was nothing: there may be by now", () =>
    Effect.gen(function* () {
      const { answer, asked, get } = storage()
      const first = yield* fork(get("a"))
      const second = yield* fork(get("a"))
      yield* answer(0, undefined)
      assert.isUndefined(yield* Fiber.join(first))
      yield* Effect.yieldNow
      assert.strictEqual(asked.length, 2)
      yield* answer(1, "made since")
      assert.strictEqual(yield* Fiber.join(second), "made since")
    })
  )

  it.effect("is read on by another where who was reading goes away", () =>
    Effect.gen(function* () {
      const { answer, asked, get } = storage()
      const first = yield* fork(get("a"))
      const others = [yield* fork(get("a")), yield* fork(get("a"))]
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      assert.strictEqual(asked.length, 2)
      yield* answer(1, "one")
      for (const one of others) assert.strictEqual(yield* Fiber.join(one), "one")
    })
  )

  it.effect("is not believed where the reading failed", () =>
    Effect.gen(function* () {
      const { answer, asked, fail, get } = storage()
      const both = [yield* fork(Effect.flip(get("a"))), yield* fork(Effect.flip(get("a")))]
      yield* fail(0)
      for (const one of both) assert.strictEqual(yield* Fiber.join(one), "down")
      const later = yield* fork(get("a"))
      yield* answer(1, "one")
      assert.strictEqual(yield* Fiber.join(later), "one")
      assert.strictEqual(asked.length, 2)
    })
  )

  it.live("leaves nobody waiting, at whichever step whoever reads goes away", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        const { get } = makeExpiring({
          load: () => Effect.succeed("a"),
          keep: () => true,
          ttl: "4 seconds",
          capacity: 2
        })
        yield* interruptedAt(step, get("key", 0))
        assert.strictEqual(yield* get("key", 0), "a")
      }
    })
  )

  it.live("is read once, at whichever step whoever reads gives way", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        let readings = 0
        const { get } = makeExpiring({
          load: () =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => ++readings)
            ),
          keep: () => true,
          ttl: "4 seconds",
          capacity: 2
        })
        const first = yield* pausedAt(step, get("key", 0))
        assert.strictEqual(yield* get("key", 0), 1, `step ${step}`)
        assert.strictEqual(yield* Fiber.join(first), 1, `step ${step}`)
      }
    })
  )
})
