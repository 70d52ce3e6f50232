import { CallTurns } from "@bursar/core/port/CallTurns"
import { assert, layer as layerTests } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of turns. */
export interface CallTurnsSuiteOptions<E> extends SuiteOptions {
  /** The same turns as another process has them. */
  readonly second: Layer.Layer<CallTurns, E>
  /** Whether a turn is taken from whoever holds it for too long. */
  readonly expires: boolean
}

const holdMs = 30_000

/** What every CallTurns must do. */
export const callTurnsSuite = <E>(
  name: string,
  layer: Layer.Layer<CallTurns, E>,
  options: CallTurnsSuiteOptions<E>
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(layer, { excludeTestServices: true, timeout: timeoutMs })(`${name}: CallTurns`, (it) => {
    const both = Effect.gen(function* () {
      const second = yield* Layer.build(Layer.fresh(options.second))
      return [yield* CallTurns, Context.get(second, CallTurns)] as const
    })

    it.effect(
      "of calls that come at once from two processes one is made at a time, and their numbers rise in that order",
      () =>
        Effect.gen(function* () {
          const key = crypto.randomUUID()
          const made: Array<bigint> = []
          let running = 0
          let most = 0
          const call = (number: bigint) =>
            Effect.gen(function* () {
              running += 1
              most = Math.max(most, running)
              made.push(number)
              yield* Effect.yieldNow
              yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
              running -= 1
            })
          yield* Effect.forEach(
            (yield* both).flatMap((turns) => Array.from({ length: 10 }, () => turns)),
            (turns) => turns.inTurn(key, holdMs, call),
            { concurrency: "unbounded", discard: true }
          )
          assert.strictEqual(most, 1)
          assert.lengthOf(made, 20)
          for (const [index, number] of made.entries()) assert.isTrue(index === 0 || number > (made[index - 1] ?? 0n))
        }).pipe(Effect.scoped),
      timeoutMs
    )

    it.effect(
      "a key does not wait for another",
      () =>
        Effect.gen(function* () {
          const [turns] = yield* both
          const inner = turns.inTurn(crypto.randomUUID(), holdMs, () => Effect.succeed("inner"))
          assert.strictEqual(yield* turns.inTurn(crypto.randomUUID(), holdMs, () => inner), "inner")
        }).pipe(Effect.scoped),
      timeoutMs
    )

    it.effect(
      "a call that fails or is interrupted gives its turn back",
      () =>
        Effect.gen(function* () {
          const [turns, others] = yield* both
          const key = crypto.randomUUID()
          assert.isTrue(Exit.isFailure(yield* Effect.exit(turns.inTurn(key, holdMs, () => Effect.fail("no")))))
          const begun = yield* Deferred.make<void>()
          const hanging = yield* Effect.forkChild(
            turns.inTurn(key, holdMs, () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
          )
          yield* Deferred.await(begun)
          yield* Fiber.interrupt(hanging)
          assert.strictEqual(yield* others.inTurn(key, holdMs, () => Effect.succeed("next")), "next")
        }).pipe(Effect.scoped),
      timeoutMs
    )

    if (options.expires) {
      it.effect(
        "a turn that is held for too long goes to another, whose number is higher",
        () =>
          Effect.gen(function* () {
            const [turns, others] = yield* both
            const key = crypto.randomUUID()
            const held = yield* Deferred.make<bigint>()
            const frozen = yield* Effect.forkChild(
              turns.inTurn(key, 1, (number) => Effect.andThen(Deferred.succeed(held, number), Effect.never))
            )
            const first = yield* Deferred.await(held)
            const second = yield* others.inTurn(key, holdMs, (number) =>
              // what the first gives back is no longer its own
              Effect.as(Fiber.interrupt(frozen), number)
            )
            assert.isTrue(second > first)
          }).pipe(Effect.scoped),
        timeoutMs
      )
    }
  })
}
