import { Deferred, Effect } from "effect"

/**
 * Reads by keys: all who want the same at the same moment share one reading and what it was understood as. It begins after each of them wanted it,
 * so nobody is told what was read before. Whoever goes away leaves the reading to the others.
 */
export const together = <K, A, E>(
  text: (key: K) => string,
  read: (key: K) => Effect.Effect<A, E>
): ((key: K) => Effect.Effect<A, E>) => {
  const waiting = new Map<string, Deferred.Deferred<A, E>>()
  return (key) =>
    Effect.withFiber(({ context }) => {
      const name = text(key)
      const there = waiting.get(name)
      if (there !== undefined) return Deferred.await(there)
      const answer = Deferred.makeUnsafe<A, E>()
      waiting.set(name, answer)
      const reading = Effect.suspend(() => {
        // who wants it from now on has it read anew
        waiting.delete(name)
        return read(key)
      })
      // what is wanted at the same moment goes along. It is begun at once: who is interrupted right here leaves nobody waiting for ever
      Effect.runForkWith(context)(Effect.andThen(Effect.yieldNow, Deferred.into(reading, answer)))
      return Deferred.await(answer)
    })
}

/** The same of one thing. */
export const onceTogether = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  together<null, A, E>(
    () => "",
    () => read
  )(null)
