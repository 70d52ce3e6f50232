import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { databaseTls } from "./databaseTls.ts"
import { requireSchemaOf, SchemaDiffers } from "./schemaVersion.ts"
import { requireServerOf, ServerTooOld } from "./serverVersion.ts"

/** How often a process asks whether its database is still of its version. */
const askEvery = Duration.seconds(30)

/** How long it waits for the answer of a server that may be gone. */
const patience = Duration.seconds(20)

/**
 * Fails with ServerTooOld where the server of this URL is too old, and with SchemaDiffers where its schema is not this version's. A server
 * that cannot be asked is not judged: what is started goes on trying to reach it.
 */
export const requireDatabase = (options: {
  readonly url: Redacted.Redacted
}): Effect.Effect<void, SchemaDiffers | ServerTooOld> =>
  Effect.fromResult(databaseTls(Redacted.value(options.url))).pipe(
    Effect.flatMap((tls) =>
      PgClient.make({ url: options.url, ...tls, maxConnections: 1, applicationName: "bursar-version" })
    ),
    Effect.tap(requireServerOf),
    Effect.flatMap(requireSchemaOf),
    Effect.catch((error) =>
      error instanceof ServerTooOld || error instanceof SchemaDiffers ? Effect.fail(error) : Effect.void
    ),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

/**
 * Asks what `requireDatabase` asks, again and again, and never ends but by failing: a database may not have answered when a process started, and may
 * be migrated under it, or replaced.
 */
export const watchDatabase = (options: {
  readonly url: Redacted.Redacted
  /** How long to wait before each time. Default 30 seconds. */
  readonly every?: Duration.Duration
}): Effect.Effect<never, SchemaDiffers | ServerTooOld> =>
  requireDatabase(options).pipe(Effect.timeoutOption(patience), Effect.delay(options.every ?? askEvery), Effect.forever)
