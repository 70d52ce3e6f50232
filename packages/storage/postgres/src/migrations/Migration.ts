import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { SqlClient } from "effect/sql/SqlClient"

/** One step of the schema. Once released it is never edited: a later step changes what it made. */
export interface Migration {
  /** Counts up; a database remembers the highest it has run. */
  readonly id: number
  readonly name: string
  /** The statements, in order, all in one transaction. */
  readonly statements: (sql: SqlClient) => ReadonlyArray<Effect.Effect<unknown, SqlError>>
}
