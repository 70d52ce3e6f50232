import { Effect, type Redacted } from "effect"

/** Refuses to go on over a database of another version, as far as it can be asked. */
export const requireDatabase = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const postgres = yield* Effect.promise(() => import("@bursar/postgres"))
  yield* postgres.requireDatabase({ url })
})

/** Of a process that runs until it is stopped: it does not start on a database of another version, and ends once its database is found to be of one. */
export const overDatabase = <A, E, R>(url: Redacted.Redacted, running: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { watchDatabase } = yield* Effect.promise(() => import("@bursar/postgres"))
    yield* requireDatabase(url)
    return yield* Effect.raceFirst(running, watchDatabase({ url }))
  })
