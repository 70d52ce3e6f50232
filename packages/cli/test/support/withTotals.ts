import { totalsOf } from "@bursar/postgres/storage/totals"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Somebody who changes an operation knows of its totals too: only then other rules are alone with it. */
export const withTotals = (sql: SqlClient) =>
  Effect.andThen(sql`delete from operation_total`, Effect.asVoid(sql.unsafe(totalsOf("true", 1))))
