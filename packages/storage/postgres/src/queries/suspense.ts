import type { Balance } from "@bursar/core/ledger/Leg"
import type { AccountLine, LegPlace } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import { given, select } from "../internal/select.ts"
import { selectList } from "../internal/Table.ts"
import { balanceTable } from "../table/balanceTable.ts"
import { operationTable } from "../table/operationTable.ts"
import { legColumns, readLine } from "./statement.ts"

/** The accounts in suspense. The bounds are what the index goes by, in whatever order the database has texts; what lies between them is looked at. */
export const inSuspense = (sql: SqlClient, account: "b" | "t") => {
  const name = sql.literal(`${account}.account`)
  return sql`${name} >= 'suspense' and ${name} < 'suspensf' and (${name} = 'suspense' or ${name} like 'suspense:%')`
}

/** What stands in suspense, by account and currency. */
export const suspense = (sql: SqlClient, tenantId: TenantId): Effect.Effect<ReadonlyArray<Balance>, SqlError> =>
  select(
    sql,
    balanceTable,
    sql`where t.tenant_id = ${tenantId} and ${inSuspense(sql, "t")}
      order by t.account collate "C", t.currency collate "C"`
  )

/** The lines of all accounts in suspense, newest first. Of each account and currency no more are read than may be shown. */
export const suspenseLines = (
  sql: SqlClient,
  tenantId: TenantId,
  { after, limit }: { readonly after?: LegPlace | undefined; readonly limit: number }
): Effect.Effect<ReadonlyArray<AccountLine>, SqlError> =>
  Effect.map(
    sql<Row>`select ${sql.literal(legColumns)}, ${sql.literal(selectList(operationTable, "o"))}
      from balance b cross join lateral (
        select * from ledger_leg where ${sql.and([
          sql`tenant_id = b.tenant_id and account = b.account and currency = b.currency`,
          ...given(
            after,
            ({ ordinal, postingSeq }) => sql`(posting_seq, ordinal) < (${BigInt(postingSeq)}, ${ordinal})`
          )
        ])} order by version desc limit ${limit}) l
      left join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
      where b.tenant_id = ${tenantId} and ${inSuspense(sql, "b")}
      order by l.posting_seq desc, l.ordinal desc limit ${limit}`,
    (rows) => rows.map(readLine)
  )
