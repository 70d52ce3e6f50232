import { PgClient } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { databaseTls } from "./databaseTls.ts"
import { describeNewTables } from "./newTables.ts"
import { isOfThisVersion, SchemaDiffers } from "./schemaVersion.ts"
import { requireServerOf, ServerTooOld } from "./serverVersion.ts"
import { migrations } from "./migrations/all.ts"
import type { Migration } from "./migrations/Migration.ts"

const step = ({ id, name, statements }: Migration): Migrator.ResolvedMigration => [
  id,
  name,
  Effect.succeed(
    Effect.flatMap(SqlClient, (sql) => Effect.forEach(statements(sql), (statement) => statement, { discard: true }))
  )
]

/** A lock that is not granted by then is given up: everybody else's commits queue behind whoever waits for it, and fail after 10 seconds. */
const lockWaitSeconds = 3

/** Runs the steps that are missing, and gives their names. Where none is, nothing is locked that anybody else needs. */
const runSteps = (sql: PgClient.PgClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      // those that are run at once wait here for the first, for as long as it takes, and in nobody's way
      yield* sql`select pg_advisory_xact_lock(hashtextextended('bursar_migrate', 0))`
      if (yield* isOfThisVersion(sql)) return []
      yield* sql`select set_config('lock_timeout', ${`${lockWaitSeconds}s`}, true)`
      const done = yield* Effect.provideService(
        Migrator.make({})({ loader: Effect.succeed(migrations.map(step)), table: "bursar_migration" }),
        SqlClient,
        sql
      )
      return done.map(([, name]) => name)
    })
  )

/**
 * Brings the schema of a database up to date, in one transaction, and gives the names of the steps that were run. Run
 * by several processes at once, one does it and the others wait. Where no step is missing it waits for nobody, and nobody for it; where
 * one is, and others keep a table locked (a backup, a long report), it gives up within seconds, with nothing changed. Leaves no connection open.
 * Fails with StorageError, and with ServerTooOld on a PostgreSQL that is not promised to work, and with SchemaDiffers on a database that a
 * later version has updated.
 */
export const migrate = (options: {
  readonly url: Redacted.Redacted
}): Effect.Effect<ReadonlyArray<string>, SchemaDiffers | ServerTooOld | StorageError> =>
  Effect.fromResult(databaseTls(Redacted.value(options.url))).pipe(
    Effect.flatMap((tls) =>
      PgClient.make({ url: options.url, ...tls, maxConnections: 1, applicationName: "bursar-migrate" })
    ),
    Effect.tap(requireServerOf),
    Effect.flatMap((sql) => Effect.tap(runSteps(sql), describeNewTables(sql))),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError((cause) =>
      cause instanceof ServerTooOld || cause instanceof SchemaDiffers
        ? cause
        : new StorageError({ doing: "migrate the database", cause })
    )
  )
