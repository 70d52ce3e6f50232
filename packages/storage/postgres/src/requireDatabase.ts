import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { databaseTls } from "./databaseTls.ts"
import { requireSchemaOf, SchemaDiffers } from "./schemaVersion.ts"
import { requireServerOf, ServerTooOld } from "./serverVersion.ts"

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
