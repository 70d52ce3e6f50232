import type { Fence } from "@bursar/core/engine/fenced"
import { Leadership } from "@bursar/core/port/Leadership"
import { StorageError } from "@bursar/core/engine/StorageError"
import { assert, layer as layerTests } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { type Second, type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the leadership suite. */
export interface LeadershipSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<Leadership>
}

class PrederivedAddresses extends Context.Service<PrederivedAddresses, ReadonlyArray<Leadership["Service"]>>()(
  "@bursar/testkit/suites/PrederivedAddresses"
) {}

const withCandidates = (layer: Layer.Layer<Leadership, unknown>, second: Second<Leadership>) =>
  Layer.effect(
    PrederivedAddresses,
    Effect.gen(function* () {
      const first = yield* Leadership
      return second === "one process alone"
        ? [first, first]
        : [first, Context.get(yield* Layer.build(second), Leadership)]
    })
  ).pipe(Layer.provideMerge(layer))

/** What every Leadership must do: one leader per name at a time, with an epoch that rises from term to term. */
export const leadershipSuite = (
  name: string,
  layer: Layer.Layer<Leadership, unknown>,
  options: LeadershipSuiteOptions
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(withCandidates(layer, options.second), { excludeTestServices: true, timeout: timeoutMs })(
    `${name}: Leadership`,
    (it) => {
      it.effect(
        "one of several candidates leads; when it stops another takes over with a higher epoch",
        () =>
          Effect.gen(function* () {
            const candidates = yield* PrederivedAddresses
            const office = `test-${crypto.randomUUID()}`
            let leading = 0
            let most = 0
            const terms = yield* Queue.unbounded<{ readonly candidate: number; readonly fence: Fence }>()
            const running = yield* Effect.forEach([0, 1, 2, 3], (candidate) => {
              const leadership = candidates[candidate % candidates.length]
              if (leadership === undefined) return Effect.die(new Error("there are no candidates"))
              return Effect.forkChild(
                leadership.lead(office, (fence) =>
                  Effect.acquireUseRelease(
                    Effect.sync(() => {
                      leading += 1
                      most = Math.max(most, leading)
                    }),
                    () => Effect.andThen(Queue.offer(terms, { candidate, fence }), Effect.never),
                    () =>
                      Effect.sync(() => {
                        leading -= 1
                      })
                  )
                )
              )
            })
            const seen: Array<{ readonly candidate: number; readonly fence: Fence }> = []
            for (let term = 0; term < running.length; term++) {
              const { candidate, fence } = yield* Queue.take(terms)
              seen.push({ candidate, fence })
              const fiber = running[candidate]
              if (fiber !== undefined) yield* Fiber.interrupt(fiber)
            }
            assert.strictEqual(most, 1)
            assert.deepStrictEqual(seen.map(({ candidate }) => candidate).toSorted(), [0, 1, 2, 3])
            assert.isTrue(seen.every(({ fence }) => fence.name === office))
            const epochs = seen.map(({ fence }) => fence.epoch)
            assert.deepStrictEqual(
              epochs,
              [...new Set(epochs)].toSorted((left, right) => left - right)
            )
            assert.isTrue((epochs[0] ?? 0) >= 1)
          }),
        timeoutMs
      )

      it.effect(
        "names are led independently",
        () =>
          Effect.gen(function* () {
            const leadership = yield* Leadership
            const both = yield* Effect.forEach([1, 2], () => Deferred.make<void>())
            const running = yield* Effect.forEach(both, (elected) =>
              Effect.forkChild(
                leadership.lead(`test-${crypto.randomUUID()}`, () =>
                  Effect.andThen(Deferred.succeed(elected, undefined), Effect.never)
                )
              )
            )
            yield* Effect.forEach(both, Deferred.await)
            yield* Effect.forEach(running, Fiber.interrupt)
          }),
        timeoutMs
      )

      it.effect(
        "work that fails, dies or ends is followed by another term",
        () =>
          Effect.gen(function* () {
            const leadership = yield* Leadership
            const epochs: Array<number> = []
            const fourth = yield* Deferred.make<void>()
            const running = yield* Effect.forkChild(
              leadership.lead(`test-${crypto.randomUUID()}`, ({ epoch }) =>
                Effect.suspend(() => {
                  epochs.push(epoch)
                  if (epochs.length === 1)
                    return Effect.fail(new StorageError({ doing: "test", cause: new Error("failed on purpose") }))
                  if (epochs.length === 2) return Effect.void
                  if (epochs.length === 3) return Effect.die(new Error("died on purpose"))
                  return Effect.andThen(Deferred.succeed(fourth, undefined), Effect.never)
                })
              )
            )
            yield* Deferred.await(fourth)
            assert.deepStrictEqual(
              epochs,
              [...new Set(epochs)].toSorted((left, right) => left - right)
            )
            assert.strictEqual(epochs.length, 4)
            yield* Fiber.interrupt(running)
          }).pipe(Effect.provide(Logger.layer([]))),
        timeoutMs
      )

      it.effect(
        "what the work acquired is released before the next term begins",
        () =>
          Effect.gen(function* () {
            const leadership = yield* Leadership
            const log: Array<string> = []
            const second = yield* Deferred.make<void>()
            const running = yield* Effect.forkChild(
              leadership.lead(`test-${crypto.randomUUID()}`, () =>
                Effect.gen(function* () {
                  yield* Effect.acquireRelease(
                    Effect.sync(() => log.push("acquired")),
                    () => Effect.sync(() => log.push("released"))
                  )
                  if (log.length < 3) return
                  yield* Deferred.succeed(second, undefined)
                  return yield* Effect.never
                })
              )
            )
            yield* Deferred.await(second)
            assert.deepStrictEqual(log, ["acquired", "released", "acquired"])
            yield* Fiber.interrupt(running)
            assert.deepStrictEqual(log, ["acquired", "released", "acquired", "released"])
          }),
        timeoutMs
      )
    }
  )
}
