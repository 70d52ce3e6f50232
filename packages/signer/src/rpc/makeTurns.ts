import { Deferred, Effect } from "effect"

/** Has work wait for a turn, with others of the same kind. */
export type Turns = <A, E, R>(kind: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A work that waits. */
interface Waiting {
  readonly kind: string
  readonly given: Deferred.Deferred<void>
}

/**
 * So many turns, shared fairly by kinds of work, of which there are few. A kind takes one only while it holds fewer than are free: half of them where it
 * is alone. One that holds none always gets one, beyond these where none is left: however many works of however many kinds wait for what does not
 * answer, no other kind waits for them.
 */
export const makeTurns = (most: number): Effect.Effect<Turns> =>
  Effect.sync(() => {
    const held = new Map<string, number>()
    /** The longest waiting first. */
    const waiting = new Set<Waiting>()
    let free = most

    const giveOut = (): void => {
      for (const one of waiting) {
        const holds = held.get(one.kind) ?? 0
        if (holds > 0 && holds >= free) continue
        waiting.delete(one)
        held.set(one.kind, holds + 1)
        free -= 1
        Deferred.doneUnsafe(one.given, Effect.void)
      }
    }

    const giveBack = (kind: string): void => {
      const holds = held.get(kind) ?? 0
      if (holds > 1) held.set(kind, holds - 1)
      else held.delete(kind)
      free += 1
    }

    return (kind, work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const one: Waiting = { kind, given: Deferred.makeUnsafe() }
          waiting.add(one)
          giveOut()
          const ended = Effect.sync(() => {
            // where it waits no longer, it was given one
            if (!waiting.delete(one)) giveBack(kind)
            giveOut()
          })
          return Effect.ensuring(restore(Effect.andThen(Deferred.await(one.given), work)), ended)
        })
      )
  })
