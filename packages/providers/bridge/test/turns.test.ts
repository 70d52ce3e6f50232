import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, References } from "effect"
import { makeTurns } from "../src/internal/turns.ts"

/** Turns of which the first is taken until `end` is done, and who had one since. */
const taken = Effect.gen(function* () {
  const inTurn = makeTurns()
  const end = yield* Deferred.make<void>()
  const had: Array<number> = []
  const wait = (madeAt: number) =>
    Effect.forkChild(
      inTurn(
        madeAt,
        Effect.sync(() => had.push(madeAt))
      ),
      { startImmediately: true }
    )
  const first = yield* Effect.forkChild(inTurn(0, Deferred.await(end)), { startImmediately: true })
  return { inTurn, end, had, wait, first }
})

describe("turns", () => {
  it.effect("go to the latest of those that wait, and never to two at once", () =>
    Effect.gen(function* () {
      const { end, had, wait } = yield* taken
      const waiting = yield* Effect.forEach([2, 9, 5, 7], wait)
      assert.isEmpty(had)
      yield* Deferred.succeed(end, undefined)
      yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(had, [9, 7, 5, 2])
    })
  )

  it.effect("are passed on by whoever is interrupted, while it waits or in its turn", () =>
    Effect.gen(function* () {
      const { first, had, inTurn, wait } = yield* taken
      const [gone, stays] = [yield* wait(9), yield* wait(5)]
      yield* Fiber.interrupt(gone)
      yield* Fiber.interrupt(first)
      yield* Fiber.join(stays)
      assert.deepStrictEqual(had, [5])
      assert.strictEqual(yield* inTurn(1, Effect.succeed("free")), "free")
    })
  )

  it.effect("are not lost where whoever has just got one is interrupted, at whatever step", () =>
    Effect.gen(function* () {
      for (let steps = 4; steps <= 24; steps++) {
        for (let pauses = 0; pauses < 5; pauses++) {
          const { end, first, inTurn: passed } = yield* taken
          const free = makeTurns()
          const both = [free, passed]
          const got = yield* Effect.forEach(both, (inTurn) =>
            Effect.forkChild(Effect.provideService(inTurn(1, Effect.void), References.MaxOpsBeforeYield, steps), {
              startImmediately: true
            })
          )
          yield* Deferred.succeed(end, undefined)
          for (let pause = 0; pause < pauses; pause++) yield* Effect.yieldNow
          yield* Effect.forEach(got, Fiber.interrupt)
          yield* Fiber.join(first)
          for (const inTurn of both) {
            const next = yield* Effect.forkChild(inTurn(2, Effect.void), { startImmediately: true })
            assert.isDefined(next.pollUnsafe(), `a turn is taken for ever: ${steps} steps, ${pauses} pauses`)
          }
        }
      }
    })
  )
})
