import type { Timestamp } from "@bursar/core/engine/Timestamp"
import type { StatementPage } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { given } from "../internal/select.ts"
import { selectList } from "../internal/Table.ts"
import { legTable } from "../table/legTable.ts"
import { operationTable } from "../table/operationTable.ts"

/** What a statement is asked for. */
export interface StatementQuery {
  readonly currency: string
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
  readonly limit: number
}

// what both tables have is selected under another name for the leg
const shared = legTable.columns.map(({ name }) => name).filter((name) => operationTable.columns.some((column) => column.name === name))
const legColumns = legTable.columns.map(({ name }) => shared.includes(name) ? `l.${name} as leg_${name}` : `l.${name}`).join(", ")
const readLeg = (row: Row) =>
  legTable.read({ ...row, ...Object.fromEntries(shared.map((name) => [name, row[`leg_${name}`]])) })

/** The legs of `float:available` between two moments, with the balance before the first of them. */
export const statement = Effect.fnUntraced(function*(
  sql: SqlClient,
  tenantId: TenantId,
  { currency, limit, since, until }: StatementQuery
): Effect.fn.Return<StatementPage, SqlError> {
  const rows = yield* sql<Row>`select ${sql.literal(legColumns)}, ${sql.literal(selectList(operationTable, "o"))}
    from ledger_leg l join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
    where ${sql.and([
      sql`l.tenant_id = ${tenantId} and l.account = 'float:available' and l.currency = ${currency}`,
      ...given(since, (from) => sql`l.posted_at >= ${new Date(from)}`),
      ...given(until, (to) => sql`l.posted_at < ${new Date(to)}`)
    ])} order by l.posted_at, l.version limit ${limit + 1}`
  const movements = rows.slice(0, limit).map((row) => ({ leg: readLeg(row), operation: operationTable.read(row) }))
  const first = movements[0]?.leg
  const before = first !== undefined
    ? sql`and version = ${first.version - 1}`
    : since !== undefined
    ? sql`and posted_at < ${new Date(since)} order by posted_at desc, version desc limit 1`
    : sql`and false`
  const [last] = yield* sql<Row>`select balance from ledger_leg
    where tenant_id = ${tenantId} and account = 'float:available' and currency = ${currency} ${before}`
  const opening = last === undefined ? 0n : Cell.units(last.balance)
  return { opening, closing: movements.at(-1)?.leg.balance ?? opening, movements, truncated: rows.length > limit }
})
