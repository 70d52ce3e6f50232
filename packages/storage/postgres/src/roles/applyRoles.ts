import { PgClient } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { databaseTls } from "../databaseTls.ts"
import { type RolePrefixInvalid, roleStatements } from "./roleStatements.ts"

/**
 * Makes the groups of the processes on a migrated database, and gives them what the matrix says, in one transaction. Run again, it
 * changes nothing. Leaves no connection open. Fails with RolePrefixInvalid, and with StorageError, for instance where the user of the
 * URL may not create roles or does not own the tables; nothing is changed then.
 */
export const applyRoles = Effect.fn("roles.applyRoles")(function* (options: {
  readonly url: Redacted.Redacted
  readonly prefix: string
}): Effect.fn.Return<void, RolePrefixInvalid | StorageError> {
  const statements = yield* Effect.fromResult(roleStatements(options.prefix))
  yield* Effect.fromResult(databaseTls(Redacted.value(options.url))).pipe(
    Effect.flatMap((tls) =>
      PgClient.make({ url: options.url, ...tls, maxConnections: 1, applicationName: "bursar-migrate" })
    ),
    Effect.flatMap((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          // two that create the same role at once would fail
          yield* sql`select pg_advisory_xact_lock(hashtextextended('bursar_roles', 0))`
          yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
        })
      )
    ),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError((cause) => new StorageError({ doing: "set up the roles", cause }))
  )
})
