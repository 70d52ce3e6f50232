import { Deferred, Effect, Exit } from "effect"

/** Who waits for a turn, and since when it counts. */
interface Waiting {
  readonly madeAt: number
  readonly go: Deferred.Deferred<void>
}

/** Runs one effect at a time: of those that wait, the one with the latest `madeAt` comes next, and among equals the one that came first. */
export const makeTurns = () => {
  const waiting = new Set<Waiting>()
  let isTaken = false

  const pass = Effect.sync(() => {
    const all = [...waiting]
    const next = all.reduce<Waiting | undefined>(
      (best, one) => (best === undefined || one.madeAt > best.madeAt ? one : best),
      undefined
    )
    isTaken = next !== undefined
    if (next === undefined) return
    waiting.delete(next)
    Deferred.doneUnsafe(next.go, Exit.void)
  })

  /** Cannot be interrupted but while it waits: a turn that was just taken would be lost. */
  const take = (madeAt: number, wait: <A>(until: Effect.Effect<A>) => Effect.Effect<A>) =>
    Effect.suspend(() => {
      if (!isTaken) {
        isTaken = true
        return Effect.void
      }
      const own: Waiting = { madeAt, go: Deferred.makeUnsafe() }
      waiting.add(own)
      // one that does not wait any more has the turn already, and passes it on
      return Effect.onInterrupt(wait(Deferred.await(own.go)), () => (waiting.delete(own) ? Effect.void : pass))
    })

  return <A, E, R>(madeAt: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(take(madeAt, restore), Effect.ensuring(restore(effect), pass))
    )
}
