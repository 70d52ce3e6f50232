import type { PgClient } from "@effect/sql-pg"
import { Data, Effect } from "effect"

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
