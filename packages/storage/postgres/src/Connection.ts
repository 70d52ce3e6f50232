import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Context, Effect, Layer, Redacted } from "effect"
import { databaseTls } from "./databaseTls.ts"
import type { MappedRecord, RecordMapping } from "./internal/MappedRecord.ts"
import { mappedRecords } from "./table/recordTables.ts"
import * as Reactivity from "effect/reactivity/Reactivity"

/** Where the database is and how much of it may be used. */
export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`. Outside this machine TLS is demanded: see `databaseTls`. */
  readonly url: Redacted.Redacted
  /** The most sessions that commits and reads hold at once; at least 2. Each leadership holds one more. Default 16. */
  readonly maxConnections?: number | undefined
  /** Shown in `pg_stat_activity`. Default `bursar`. */
  readonly applicationName?: string | undefined
  /** Kinds of records of your own, each mapped to a table that you have made (`mapRecord`). */
  readonly records?: ReadonlyArray<MappedRecord> | undefined
}

/** A statement of a commit that waits or works longer than this fails the commit. */
const commitStatementTimeout = "10s"

/** Any other statement that takes longer than this fails. */
const readStatementTimeout = "30s"

/** Probes a silent peer, so that a host that vanished does not hold a session for ever. */
const keepAlive = "30 seconds"

/** The sessions that all adapters of a process share. */
export class Connection extends Context.Service<
  Connection,
  {
    /** For reads and for transactions of a few statements. */
    readonly sql: PgClient.PgClient
    /** For commits alone. A session that is taken is exclusive, and pipelines what is sent on it. */
    readonly commits: PgPool.PgPool
    /** The tables of all kinds of records. */
    readonly mapping: RecordMapping
    /** How to open a session beside the pools. */
    readonly session: PgConnection.Config
  }
>()("@bursar/postgres/Connection") {}

/** Opens the pools. Nothing is connected before it is needed, and lost sessions are replaced. */
export const make = Effect.fnUntraced(function* (options: ConnectionOptions) {
  const tls = yield* Effect.fromResult(databaseTls(Redacted.value(options.url)))
  const session: PgConnection.Config = {
    url: options.url,
    ...tls,
    applicationName: options.applicationName ?? "bursar",
    keepAlive,
    startupParameters: {
      statement_timeout: readStatementTimeout,
      idle_in_transaction_session_timeout: "60s",
      jit: "off"
    }
  }
  const maxConnections = Math.max(2, options.maxConnections ?? 16)
  const forCommits = Math.ceil(maxConnections / 2)
  const sql = yield* PgClient.make({ ...session, maxConnections: maxConnections - forCommits })
  const commits = yield* PgPool.make({
    ...session,
    startupParameters: {
      ...session.startupParameters,
      statement_timeout: commitStatementTimeout,
      idle_in_transaction_session_timeout: "20s",
      // every statement of a commit finds its rows by key; on a young table the planner would rather read it whole,
      // and keep that plan while the table grows
      enable_seqscan: "off",
      enable_hashjoin: "off",
      enable_mergejoin: "off"
    },
    maxConnections: forCommits,
    multiplex: true,
    multiplexConcurrency: 1
  })
  const mapping = new Map([...mappedRecords, ...(options.records ?? [])].map((one) => [one.of.name, one] as const))
  return Connection.of({ sql, commits, mapping, session })
})

/** {@link make} as a layer. Fails with StorageError where the settings make no sense. */
export const layer = (options: ConnectionOptions): Layer.Layer<Connection, StorageError> =>
  Layer.effect(
    Connection,
    Effect.mapError(make(options), (cause) => new StorageError({ doing: "open the database", cause }))
  ).pipe(Layer.provide(Reactivity.layer))
