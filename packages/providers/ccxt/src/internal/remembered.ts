import { Clock, Effect, Semaphore } from "effect"

/** Reads something once and tells it again for a while. Failures are not remembered, and many who ask at once share one reading. */
export const remembered = <A, E>(read: Effect.Effect<A, E>, forMs: number): Effect.Effect<A, E> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let known: { readonly value: A; readonly until: number } | undefined
  return Semaphore.withPermits(
    oneAtATime,
    1
  )(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (known !== undefined && now < known.until) return known.value
      const value = yield* read
      known = { value, until: now + forMs }
      return value
    })
  )
}
