import type { Fence } from "@bursar/core/engine/fenced"
import { Leadership } from "@bursar/core/port/Leadership"
import { StorageError } from "@bursar/core/engine/StorageError"
import { assert, layer as layerTests } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Logger, Queue } from "effect"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the leadership suite. */
export interface LeadershipSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<Leadership>
  /** After how long a leadership lapses that shows no sign of life. The suite leads for longer than that. Null where none ever lapses. */
  readonly lapsesAfterMs: number | null
  /** Takes every leadership away as an outage would (a lost session, a lapsed lease); absent where none can be lost. */
  readonly lose?: Effect.Effect<void>
}

/** The tests of the suite. */
export const leadershipTests = (it: SuiteIt<Leadership>, options: LeadershipSuiteOptions): void => {
  const timeoutMs = timeoutOf(options)
  const lapseMs = options.lapsesAfterMs ?? 0
  const both = Effect.all([Leadership, secondOf(Leadership, options.second)])

  it.effect(
    "one of several candidates leads; when it stops another takes over with a higher epoch",
    () =>
      Effect.gen(function* () {
        const candidates = yield* both
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

  it.effect(
    "a term goes on for as long as its work does, and nobody else leads meanwhile",
    () =>
      Effect.gen(function* () {
        const candidates = yield* both
        const office = `test-${crypto.randomUUID()}`
        const terms = yield* Queue.unbounded<Fence>()
        let most = 0
        let leading = 0
        const running = yield* Effect.forEach(candidates, ({ lead }) =>
          Effect.forkChild(
            lead(office, (fence) =>
              Effect.acquireUseRelease(
                Effect.sync(() => {
                  leading += 1
                  most = Math.max(most, leading)
                }),
                () => Effect.andThen(Queue.offer(terms, fence), Effect.never),
                () => Effect.sync(() => (leading -= 1))
              )
            )
          )
        )
        yield* Queue.take(terms)
        yield* Effect.sleep(lapseMs * 1.25)
        assert.strictEqual(most, 1)
        yield* Effect.forEach(running, Fiber.interrupt)
      }),
    timeoutMs + 2 * lapseMs
  )

  const { lose } = options
  if (lose !== undefined)
    it.effect(
      "work whose leadership is lost is interrupted, and another term begins with a higher epoch",
      () =>
        Effect.gen(function* () {
          const { lead } = yield* Leadership
          const terms = yield* Queue.unbounded<Fence>()
          const interrupted = yield* Deferred.make<void>()
          const running = yield* Effect.forkChild(
            lead(`test-${crypto.randomUUID()}`, (fence) =>
              Effect.andThen(Queue.offer(terms, fence), Effect.never).pipe(
                Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
              )
            )
          )
          const first = yield* Queue.take(terms)
          yield* lose
          yield* Deferred.await(interrupted)
          const second = yield* Queue.take(terms)
          assert.isAbove(second.epoch, first.epoch)
          yield* Fiber.interrupt(running)
        }).pipe(Effect.provide(Logger.layer([]))),
      timeoutMs
    )
}

/** What every Leadership must do: one leader per name at a time, with an epoch that rises from term to term. */
export const leadershipSuite = (
  name: string,
  layer: Layer.Layer<Leadership, unknown>,
  options: LeadershipSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Leadership`, (it) =>
    leadershipTests(it, options)
  )
}
