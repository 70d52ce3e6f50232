import { PgClient } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { databaseTls } from "./databaseTls.ts"
import { describeNewTables } from "./newTables.ts"
import { refuseLaterSchemaOf, SchemaDiffers } from "./schemaVersion.ts"
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

/**
 * Brings the schema of a database up to date, in one transaction, and gives the names of the steps that were run. Run
 * by several processes at once, one does it and the others wait. Leaves no connection open. Fails with StorageError, and with
 * ServerTooOld on a PostgreSQL that is not promised to work, and with SchemaDiffers on a database that a later version has updated.
 */
export const migrate = (options: {
  readonly url: Redacted.Redacted
}): Effect.Effect<ReadonlyArray<string>, SchemaDiffers | ServerTooOld | StorageError> =>
  Effect.fromResult(databaseTls(Redacted.value(options.url))).pipe(
    Effect.flatMap((tls) =>
      PgClient.make({ url: options.url, ...tls, maxConnections: 1, applicationName: "bursar-migrate" })
    ),
    Effect.tap(requireServerOf),
    Effect.tap(refuseLaterSchemaOf),
    Effect.flatMap((sql) =>
      Migrator.make({})({ loader: Effect.succeed(migrations.map(step)), table: "bursar_migration" }).pipe(
        Effect.provideService(SqlClient, sql),
        Effect.tap(describeNewTables(sql))
      )
    ),
    Effect.map((done) => done.map(([, name]) => name)),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError((cause) =>
      cause instanceof ServerTooOld || cause instanceof SchemaDiffers
        ? cause
        : new StorageError({ doing: "migrate the database", cause })
    )
  )
