import { Effect, Fiber, FiberMap, type Scope } from "effect"

/** Work that goes on beside the loop that takes it up. What a node or a provider keeps waiting for its answer holds up nothing else. */
export interface UnderWay<E> {
  /** Whether work is under way by a key: then it is not taken up again. */
  readonly has: (key: string) => boolean
  /** Takes work up by a key, unless some is under way by it. */
  readonly begin: <A, R>(key: string, work: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<unknown, E>, never, R>
  /** Never ends, and fails as soon as any work does. */
  readonly failure: Effect.Effect<never, E>
}

/** Nothing under way yet. What is under way when the scope closes is interrupted. */
export const makeUnderWay = Effect.fnUntraced(function* <E>(): Effect.fn.Return<UnderWay<E>, never, Scope.Scope> {
  const fibers = yield* FiberMap.make<string, unknown, E>()
  return {
    has: (key) => FiberMap.hasUnsafe(fibers, key),
    begin: (key, work) => FiberMap.run(fibers, key, work, { onlyIfMissing: true, startImmediately: false }),
    failure: Effect.andThen(FiberMap.join(fibers), Effect.never)
  }
})

/** Waits until all that was begun has ended, or for so long. */
export const awaitSome = (begun: ReadonlyArray<Fiber.Fiber<unknown, unknown>>, atMostMs: number): Effect.Effect<void> =>
  Effect.raceFirst(Effect.asVoid(Fiber.awaitAll(begun)), Effect.sleep(atMostMs))
