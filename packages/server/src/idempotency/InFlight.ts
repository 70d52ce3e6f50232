import { Context, Deferred, Effect, Layer } from "effect"

/** The requests with an idempotency key that this process is working on, so that a rival can wait for the first. */
export class InFlight extends Context.Service<
  InFlight,
  {
    /**
     * Runs `work` under a name. While another is at work under the same name, waits for it, then runs `work`, which then finds
     * what the first has left. Fails with what `busy` makes where the first takes longer than two seconds.
     */
    readonly oneAtATime: <A, E, R, B>(
      name: string,
      work: Effect.Effect<A, E, R>,
      busy: () => B
    ) => Effect.Effect<A, E | B, R>
  }
>()("@bursar/server/idempotency/InFlight") {}

/** The registry of one process. */
export const layer = Layer.sync(InFlight, () => {
  const running = new Map<string, Deferred.Deferred<void>>()

  return InFlight.of({
    oneAtATime: (name, work, busy) =>
      Effect.uninterruptibleMask((restore) => {
        const first = running.get(name)
        // The request may be uninterruptible, the waiting must not be.
        if (first !== undefined)
          return restore(
            Effect.interruptible(Deferred.await(first)).pipe(
              Effect.timeoutOrElse({ duration: "2 seconds", orElse: () => Effect.fail(busy()) }),
              Effect.andThen(work)
            )
          )
        // at once, before the fiber can give way: who asks from now on waits
        const done = Deferred.makeUnsafe<void>()
        running.set(name, done)
        return Effect.ensuring(
          restore(work),
          Effect.sync(() => {
            running.delete(name)
            Deferred.doneUnsafe(done, Effect.void)
          })
        )
      })
  })
})
