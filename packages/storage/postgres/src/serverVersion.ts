import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { databaseTls } from "./databaseTls.ts"

/** The oldest PostgreSQL that is promised to work, by its major version. */
const oldestServer = 16

/** `server_version_num` counts a major version by this. */
const perMajor = 10_000

/** The server is older than what is promised to work; the message says which is needed. */
export class ServerTooOld extends Data.TaggedError("ServerTooOld")<{ readonly message: string }> {}

/** Why a server is not used, from its `server_version_num` and `server_version`; undefined where it is. */
export const serverRefusal = (versionNumber: number, version: string): string | undefined =>
  Math.floor(versionNumber / perMajor) >= oldestServer
    ? undefined
    : `Bursar needs PostgreSQL ${oldestServer} or newer; this server is PostgreSQL ${version}.`

/** Fails with ServerTooOld on a connection to a server that is too old. */
export const requireServerOf = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [row] = yield* sql<{ readonly number: number; readonly version: string }>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version`
  const refusal = row === undefined ? undefined : serverRefusal(row.number, row.version)
  if (refusal !== undefined) return yield* new ServerTooOld({ message: refusal })
})

/**
 * Fails with ServerTooOld where the server of this URL is too old. A server that cannot be asked is not judged: what is started
 * goes on trying to reach it.
 */
export const requireServer = (options: { readonly url: Redacted.Redacted }): Effect.Effect<void, ServerTooOld> =>
  Effect.fromResult(databaseTls(Redacted.value(options.url))).pipe(
    Effect.flatMap((tls) =>
      PgClient.make({ url: options.url, ...tls, maxConnections: 1, applicationName: "bursar-version" })
    ),
    Effect.flatMap(requireServerOf),
    Effect.catch((error) => (error instanceof ServerTooOld ? Effect.fail(error) : Effect.void)),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )
