import { interruptedAt, steps } from "@bursar/testkit/fixtures/interruptedAt"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { onceTogether, together } from "../../../src/internal/rpc/together.ts"

/** Reads numbers, and says which were read. Each answer waits for its turn. */
const numbers = () => {
  const begun: Array<number> = []
  const answers: Array<Deferred.Deferred<string, string>> = []
  const read = together(String, (number: number) =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<string, string>()
      begun.push(number)
      answers.push(answer)
      return Deferred.await(answer)
    })
  )
  const tell = (at: number, answer: Effect.Effect<string, string>) =>
    Effect.suspend(() => {
      const waiting = answers[at]
      return waiting === undefined
        ? Effect.die(new Error(`nothing is read at ${at}`))
        : Deferred.complete(waiting, answer)
    })
  return { begun, read, tell }
}

const begin = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Long enough for what is wanted to be read. */
const moment = Effect.andThen(Effect.yieldNow, Effect.yieldNow)

describe("what is read together", () => {
  it.effect("is read once for all who want the same at the same moment, and apart from what others want", () =>
    Effect.gen(function* () {
      const { begun, read, tell } = numbers()
      const asked = yield* Effect.forEach([1, 2, 1, 1], (number) => begin(read(number)))
      yield* moment
      assert.deepStrictEqual(begun, [1, 2])
      yield* tell(0, Effect.succeed("one"))
      yield* tell(1, Effect.succeed("two"))
      assert.deepStrictEqual(yield* Fiber.joinAll(asked), ["one", "two", "one", "one"])
    })
  )

  it.effect("is read anew for whoever wants it once the reading has begun", () =>
    Effect.gen(function* () {
      const { begun, read, tell } = numbers()
      const first = yield* begin(read(1))
      yield* moment
      const second = yield* begin(read(1))
      yield* moment
      assert.deepStrictEqual(begun, [1, 1])
      yield* tell(0, Effect.succeed("old"))
      yield* tell(1, Effect.succeed("new"))
      assert.deepStrictEqual(yield* Fiber.joinAll([first, second]), ["old", "new"])
    })
  )

  it.effect("fails for all of them, and is read again afterwards", () =>
    Effect.gen(function* () {
      const { begun, read, tell } = numbers()
      const asked = yield* Effect.forEach([1, 1], (number) => begin(Effect.flip(read(number))))
      yield* moment
      yield* tell(0, Effect.fail("no answer"))
      assert.deepStrictEqual(yield* Fiber.joinAll(asked), ["no answer", "no answer"])
      const again = yield* begin(read(1))
      yield* moment
      yield* tell(1, Effect.succeed("one"))
      assert.strictEqual(yield* Fiber.join(again), "one")
      assert.deepStrictEqual(begun, [1, 1])
    })
  )

  it.effect("goes on for the others where whoever wanted it first goes away", () =>
    Effect.gen(function* () {
      const { read, tell } = numbers()
      const first = yield* begin(read(1))
      const second = yield* begin(read(1))
      yield* Fiber.interrupt(first)
      yield* moment
      yield* tell(0, Effect.succeed("one"))
      assert.strictEqual(yield* Fiber.join(second), "one")
    })
  )

  it.live("leaves nobody waiting, at whichever step whoever wanted it first is interrupted", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        const read = together(String, (number: number) => Effect.succeed(number))
        yield* interruptedAt(step, read(1))
        assert.strictEqual(yield* read(1), 1)
      }
    })
  )

  it.effect("is read again each time, where it is one thing", () =>
    Effect.gen(function* () {
      let reads = 0
      const count = onceTogether(
        Effect.sync(() => {
          reads += 1
          return reads
        })
      )
      assert.deepStrictEqual(yield* Effect.all([count, count], { concurrency: "unbounded" }), [1, 1])
      assert.strictEqual(yield* count, 2)
    })
  )
})
