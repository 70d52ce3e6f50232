import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { databaseTls } from "./databaseTls.ts"
import { heardSocket } from "./heardSocket.ts"
import { makeRefuseOffset, type RefuseOffset } from "./internal/clockOffset.ts"
import type { MappedRecord, RecordMapping } from "./internal/MappedRecord.ts"
import { mappedRecords } from "./table/recordTables.ts"
import * as Reactivity from "effect/reactivity/Reactivity"

/** Where the database is and how much of it may be used. */
export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`. Outside this machine TLS is demanded: see `databaseTls`. */
  readonly url: Redacted.Redacted
  /**
   * The most sessions that commits and reads hold at once; at least 2. Reads that take long, as those of checks and exports, hold up to half as
   * many more, and each leadership one. Default 16.
   */
  readonly maxConnections?: number | undefined
  /**
   * The most that a statement may take, in milliseconds: it fails then, and so does one of a commit after a third of that. A session on
   * which nothing was heard for half as long again is closed, as of a host that vanished. One that reads is not lent any more after twice as
   * long: its server may have been demoted. Default 30,000.
   */
  readonly statementMaxMs?: number | undefined
  /** Shown in `pg_stat_activity`. Default `bursar`. */
  readonly applicationName?: string | undefined
  /** Kinds of records of your own, each mapped to a table that you have made (`mapRecord`). None has the name of another, or of one of Bursar's. */
  readonly records?: ReadonlyArray<MappedRecord> | undefined
  /**
   * Whether what is written may be of any moment, for tests that write at moments of their own. A service leaves it out: a process whose clock is
   * more than 5 seconds ahead of the database's or behind it writes nothing then.
   */
  readonly anyMoment?: true | undefined
}

/** Probes a silent peer of a session that may be silent for long, so that a host that vanished does not hold it for ever. */
const keepAlive = "30 seconds"

/** The sessions that all adapters of a process share. */
export class Connection extends Context.Service<
  Connection,
  {
    /** For reads and for transactions of a few statements. */
    readonly sql: PgClient.PgClient
    /** For what may take as long as it takes: long statements, and cursors that wait for who reads them. */
    readonly long: PgClient.PgClient
    /** For commits alone. A session that is taken is exclusive, and pipelines what is sent on it. */
    readonly commits: PgPool.PgPool
    /** The tables of all kinds of records. */
    readonly mapping: RecordMapping
    /** Refuses to write where the clocks of this process and of the database differ. */
    readonly refuseOffset: RefuseOffset
    /** How to open a session beside the pools. */
    readonly session: PgConnection.Config
  }
>()("@bursar/postgres/Connection") {}

/** The tables of Bursar's records and of others; fails where two kinds have one name, since one would be taken for the other. */
const mappingOf = (own: ReadonlyArray<MappedRecord>): Result.Result<RecordMapping, string> => {
  const mapping = new Map<string, MappedRecord>()
  for (const one of [...mappedRecords, ...own]) {
    const { name } = one.of
    if (mapping.has(name)) return Result.fail(`two kinds of records have the name ${name}: give yours another`)
    mapping.set(name, one)
  }
  return Result.succeed(mapping)
}

/** Opens the pools. Nothing is connected before it is needed, and lost sessions are replaced. */
export const make = Effect.fnUntraced(function* (options: ConnectionOptions) {
  const tls = yield* Effect.fromResult(databaseTls(Redacted.value(options.url)))
  const mapping = yield* Effect.fromResult(mappingOf(options.records ?? []))
  const statementMaxMs = options.statementMaxMs ?? 30_000
  const session: PgConnection.Config = {
    url: options.url,
    ...tls,
    applicationName: options.applicationName ?? "bursar",
    keepAlive,
    startupParameters: {
      statement_timeout: `${statementMaxMs}ms`,
      idle_in_transaction_session_timeout: "60s",
      jit: "off"
    }
  }
  const stream = heardSocket(Redacted.value(options.url), statementMaxMs * 1.5)
  // an idle session is closed before its silence says anything
  const heard = { ...session, stream, idleTimeout: statementMaxMs }
  const maxConnections = Math.max(2, options.maxConnections ?? 16)
  const forCommits = Math.ceil(maxConnections / 2)
  // who uses these is not told of a session to a server that was demoted and only reads: none is lent for longer than this
  const connectionTTL = statementMaxMs * 2
  const sql = yield* PgClient.make({ ...heard, connectionTTL, maxConnections: maxConnections - forCommits })
  const long = yield* PgClient.make({
    ...session,
    connectionTTL,
    startupParameters: { ...session.startupParameters, statement_timeout: "0" },
    maxConnections: Math.ceil(maxConnections / 2)
  })
  const commits = yield* PgPool.make({
    ...heard,
    startupParameters: {
      ...session.startupParameters,
      statement_timeout: `${Math.ceil(statementMaxMs / 3)}ms`,
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
  return Connection.of({
    sql,
    long,
    commits,
    mapping,
    refuseOffset: makeRefuseOffset(options.anyMoment === true),
    session
  })
})

/** {@link make} as a layer. Fails with StorageError where the settings make no sense. */
export const layer = (options: ConnectionOptions): Layer.Layer<Connection, StorageError> =>
  Layer.effect(
    Connection,
    Effect.mapError(make(options), (cause) => new StorageError({ doing: "open the database", cause }))
  ).pipe(Layer.provide(Reactivity.layer))
