import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Row } from "./cells.ts"
import { selectList, type Table } from "./Table.ts"

/** Reads the records of a table (as `t`), given what stands behind its name: joins, conditions, order, limit. */
export const select = <A>(sql: SqlClient, table: Table<A>, rest: Fragment): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  Effect.map(
    sql<Row>`select ${sql.literal(selectList(table, "t"))} from ${sql.literal(table.name)} t ${rest}`,
    (rows) => rows.map(table.read)
  )

/** The condition, if there is something to compare with. */
export const given = <A>(value: A | undefined, condition: (value: A) => Fragment): ReadonlyArray<Fragment> =>
  value === undefined ? [] : [condition(value)]
