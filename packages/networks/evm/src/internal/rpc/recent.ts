import { Clock, Effect } from "effect"

/** What an effect gave, for so long after it was begun; failures are not kept. */
export const recent = <A, E>(ttlMs: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let known: { readonly at: number; readonly value: A } | undefined
  return Effect.flatMap(Clock.currentTimeMillis, (at) => {
    if (known !== undefined && at >= known.at && at - known.at < ttlMs) return Effect.succeed(known.value)
    return Effect.tap(effect, (value) =>
      Effect.sync(() => {
        known = { at, value }
      })
    )
  })
}
