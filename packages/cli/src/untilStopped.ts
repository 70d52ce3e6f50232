import { Effect } from "effect"

/**
 * Of a command that runs until it is stopped, such as `bursar serve`: to be stopped is its end, so it exits with 0. All others leave undone what
 * they were asked for.
 */
export const untilStopped = <A, E, R>(running: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(running, () =>
    Effect.sync(() => {
      process.exitCode = 0
    })
  )
