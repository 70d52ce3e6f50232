import { Effect, Option, Redacted } from "effect"
import { readVariables } from "../config/environment.ts"
import { readHandshake } from "../config/Handshake.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { requireDatabase } from "../overDatabase.ts"

/** The database that a command works on: DATABASE_URL, or that of the service which `bursar-dev` runs here. */
export const databaseUrl = Effect.fn("database.databaseUrl")(function* (config: Option.Option<string>) {
  const variables = yield* readVariables(config)
  const handshake = yield* readHandshake
  const known = Option.orElse(Option.fromNullishOr(variables["DATABASE_URL"]), () =>
    Option.map(handshake, (dev) => dev.database_url)
  )
  if (Option.isSome(known)) return Redacted.make(known.value)
  return yield* new CommandFailed({
    message: "No database is known: set DATABASE_URL, or run bursar-dev in this directory."
  })
})

/** The database that a command works on, which is of this version as far as it can be asked (`databaseUrl`). */
export const ownDatabaseUrl = Effect.fn("database.ownDatabaseUrl")(function* (config: Option.Option<string>) {
  const url = yield* databaseUrl(config)
  yield* requireDatabase(url)
  return url
})
