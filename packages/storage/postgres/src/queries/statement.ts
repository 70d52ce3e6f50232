import type { LegMoment } from "@bursar/core/ledger/LegMoment"
import type { Account } from "@bursar/core/ledger/Account"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { AccountLine, StatementPage } from "@bursar/core/store/Queries"
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
  readonly since?: LegMoment | undefined
  readonly until?: LegMoment | undefined
  readonly limit: number
}

// what both tables have is selected under another name for the leg
const shared = legTable.columns
  .map(({ name }) => name)
  .filter((name) => operationTable.columns.some((column) => column.name === name))

/** The columns of a leg `l` beside those of an operation: `readLine` takes the two apart. */
export const legColumns = legTable.columns
  .map(({ name }) => (shared.includes(name) ? `l.${name} as leg_${name}` : `l.${name}`))
  .join(", ")

const readLeg = (row: Row) =>
  legTable.read({ ...row, ...Object.fromEntries(shared.map((name) => [name, row[`leg_${name}`]])) })

/**
 * The version of the first leg at or after a moment; one above the last where there is none. Versions have no gaps
 * and time never goes back along them, so the place is found by halving: some twenty lookups by key, and no index by
 * time to keep.
 */
const firstVersion = (
  sql: SqlClient,
  tenantId: TenantId,
  currency: string,
  moment: Timestamp
): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<Row>`with recursive halves (low, high) as (
      select 1::int8, 1 + coalesce((select version from balance
        where tenant_id = ${tenantId} and account = 'float:available' and currency = ${currency}), 0)
      union all
      select case when l.posted_at < ${new Date(moment)} then l.version + 1 else h.low end,
        case when l.posted_at < ${new Date(moment)} then h.high else l.version end
      from halves h join ledger_leg l on l.tenant_id = ${tenantId} and l.account = 'float:available'
        and l.currency = ${currency} and l.version = (h.low + h.high) / 2
      where h.low < h.high
    ) select max(low) as version from halves`,
    ([row]) => Cell.int(row?.version)
  )

/** The version of the leg at a moment, or of the first one after it. */
const versionAt = Effect.fnUntraced(function* (
  sql: SqlClient,
  tenantId: TenantId,
  currency: string,
  { at, nth }: LegMoment
): Effect.fn.Return<number, SqlError> {
  const first = yield* firstVersion(sql, tenantId, currency, at)
  return nth === 0 ? first : Math.min(first + nth, yield* firstVersion(sql, tenantId, currency, at + 1))
})

/** The legs of `float:available` between two moments, with the balance before the first of them. */
export const statement = Effect.fnUntraced(function* (
  sql: SqlClient,
  tenantId: TenantId,
  { currency, limit, since, until }: StatementQuery
): Effect.fn.Return<StatementPage, SqlError> {
  const from = since === undefined ? 1 : yield* versionAt(sql, tenantId, currency, since)
  const to = until === undefined ? undefined : yield* versionAt(sql, tenantId, currency, until)
  const rows = yield* sql<Row>`select ${sql.literal(legColumns)}, ${sql.literal(selectList(operationTable, "o"))}
    from ledger_leg l join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
    where ${sql.and([
      sql`l.tenant_id = ${tenantId} and l.account = 'float:available' and l.currency = ${currency} and l.version >= ${from}`,
      ...given(to, (end) => sql`l.version < ${end}`)
    ])} order by l.version limit ${limit + 1}`
  const legs = rows.slice(0, limit).map((row) => ({ leg: readLeg(row), operation: operationTable.read(row) }))
  const [start] = legs
  // the legs before the first that is shown may be of the same millisecond
  let first = start === undefined ? from : yield* firstVersion(sql, tenantId, currency, start.leg.postedAt)
  let moment = start?.leg.postedAt
  const movements = legs.map(({ leg, operation }) => {
    if (leg.postedAt !== moment) [first, moment] = [leg.version, leg.postedAt]
    return { leg, operation, nth: leg.version - first }
  })
  const [before] = yield* sql<Row>`select balance from ledger_leg
    where tenant_id = ${tenantId} and account = 'float:available' and currency = ${currency} and version = ${from - 1}`
  const opening = before === undefined ? 0n : Cell.units(before.balance)
  return { opening, closing: movements.at(-1)?.leg.balance ?? opening, movements, truncated: rows.length > limit }
})

/** A leg with the operation that made it, where one did. */
export const readLine = (row: Row): AccountLine => ({
  leg: readLeg(row),
  operation: row.kind === null ? undefined : operationTable.read(row)
})

/** The legs of an account in a currency, newest first, with their operations. */
export const accountLines = (
  sql: SqlClient,
  tenantId: TenantId,
  { account, currency, limit }: { readonly account: Account; readonly currency: string; readonly limit: number }
): Effect.Effect<ReadonlyArray<AccountLine>, SqlError> =>
  Effect.map(
    sql<Row>`select ${sql.literal(legColumns)}, ${sql.literal(selectList(operationTable, "o"))}
      from ledger_leg l left join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
      where l.tenant_id = ${tenantId} and l.account = ${account} and l.currency = ${currency}
      order by l.version desc limit ${limit}`,
    (rows) => rows.map(readLine)
  )
