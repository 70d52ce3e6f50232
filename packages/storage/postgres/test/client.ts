import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"

/** A client of the test's own, beside the adapter. */
export const client = (url: Redacted.Redacted): Effect.Effect<PgClient.PgClient, SqlError, Scope.Scope> =>
  PgClient.make({ url, maxConnections: 4, applicationName: "bursar-test-client" }).pipe(
    Effect.provide(Reactivity.layer)
  )
