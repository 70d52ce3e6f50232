import { kindOfCorrections, tenantAccountPrefixes } from "@bursar/core/operation/concernsTenant"
import { type Operation, operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { CategoryTotal, OperationQuery, RegisterQuery } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { given, select } from "../internal/select.ts"
import { selectList } from "../internal/Table.ts"
import { operationTable } from "../table/operationTable.ts"

/** A span of time: `since` inclusive, `until` exclusive. */
interface Span {
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
}

const within = (sql: SqlClient, { since, until }: Span): ReadonlyArray<Fragment> => [
  ...given(since, (from) => sql`t.created_at >= ${new Date(from)}`),
  ...given(until, (to) => sql`t.created_at < ${new Date(to)}`)
]

/** The rule of `concernsTenant` over an operation `t`. Only corrections, of which there are few, are looked up in the ledger. */
const concernsTenant = (sql: SqlClient): Fragment =>
  sql`(t.kind <> ${kindOfCorrections} or coalesce((select bool_or(${sql.or(
    tenantAccountPrefixes.map((prefix) => sql`l.account like ${`${prefix}%`}`)
  )}) from ledger_leg l where l.tenant_id = t.tenant_id and l.operation_id = t.operation_id), true))`

/** Operations of one tenant or of all, as operators look for them. Each tenant's go along its own index. */
export const operations = (
  sql: SqlClient,
  query: OperationQuery
): Effect.Effect<ReadonlyArray<Operation>, SqlError> => {
  const newest = query.order === "newest"
  const page = sql`order by ${sql.literal(
    newest ? "t.created_at desc, t.operation_id desc" : "t.created_at, t.operation_id"
  )} limit ${query.limit}`
  const wanted = sql.and([
    sql`t.tenant_id = x.tenant_id`,
    ...given(query.kinds, (kinds) => sql.in("t.kind", kinds)),
    ...given(query.status, (status) => sql`t.status = ${status}`),
    ...given(query.unresolved, (unresolved) => (unresolved ? sql`t.unresolved` : sql`not t.unresolved`)),
    ...given(query.contradicted, () => sql`t.details->>'contradiction' is not null`),
    ...given(
      query.waitingReason,
      (reason) => sql`(t.details->'waits'->>'reason' = ${reason} or exists (select from payout p
        where p.tenant_id = t.tenant_id and p.operation_id = t.operation_id
        and p.transaction_id is null and p.waits->>'reason' = ${reason}))`
    ),
    ...given(query.provider, (provider) => sql`t.provider = ${provider}`),
    ...given(query.network, (network) => sql`t.network = ${network}`),
    ...given(query.txHash, (hash) => sql`t.tx_hash = ${hash}`),
    ...within(sql, query),
    ...given(query.after, ({ createdAt, id }) =>
      newest
        ? sql`(t.created_at, t.operation_id) < (${new Date(createdAt)}, ${id}::uuid)`
        : sql`(t.created_at, t.operation_id) > (${new Date(createdAt)}, ${id}::uuid)`
    )
  ])
  return Effect.map(
    sql<Row>`select ${sql.literal(selectList(operationTable, "t"))} from tenant x
      cross join lateral (select * from operation t where ${wanted} ${page}) t
      ${query.tenantId === undefined ? sql.literal("") : sql`where x.tenant_id = ${query.tenantId}`} ${page}`,
    (rows) => rows.map(operationTable.read)
  )
}

/** A page of the register, newest first. */
export const register = (
  sql: SqlClient,
  tenantId: TenantId,
  query: RegisterQuery
): Effect.Effect<ReadonlyArray<Operation>, SqlError> =>
  select(
    sql,
    operationTable,
    sql`where ${sql.and([
      sql`t.tenant_id = ${tenantId}`,
      concernsTenant(sql),
      ...given(query.kind, (kind) => sql`t.kind = ${kind}`),
      // written out, so that the index of just these kinds can be seen to serve
      ...given(query.kinds, (kinds) => sql`t.kind in (${sql.literal(kinds.map((kind) => `'${kind}'`).join(", "))})`),
      ...given(query.partnerReference, (reference) => sql`t.partner_reference = ${reference}`),
      // said twice: settled operations are not in the index of statuses
      ...given(query.status, (status) =>
        status === "SETTLED" ? sql`t.status = ${status}` : sql`t.status = ${status} and t.status <> 'SETTLED'`
      ),
      ...given(query.currency, (currency) => sql`t.currency = ${currency}`),
      ...given(query.customerId, (customer) => sql`t.customer_id = ${customer}`),
      ...given(query.actsFor, (actsFor) => sql`t.acts_for = ${actsFor}`),
      // said twice, as above: what is unresolved is not settled
      ...given(query.unresolved, (unresolved) =>
        unresolved ? sql`t.unresolved and t.status <> 'SETTLED'` : sql`not t.unresolved`
      ),
      ...within(sql, query),
      ...given(
        query.after,
        ({ createdAt, id }) => sql`(t.created_at, t.operation_id) < (${new Date(createdAt)}, ${id}::uuid)`
      )
    ])} order by t.created_at desc, t.operation_id desc limit ${query.limit}`
  )

/** Totals by kind, currency and status. */
export const summary = (
  sql: SqlClient,
  tenantId: TenantId,
  span: Span
): Effect.Effect<ReadonlyArray<CategoryTotal>, SqlError> =>
  Effect.map(
    sql<Row>`select t.kind, t.currency, t.status, count(*) as count, sum(t.units) as units, sum(t.fee_units) as fee_units
      from operation t where ${sql.and([sql`t.tenant_id = ${tenantId}`, concernsTenant(sql), ...within(sql, span)])}
      group by t.kind, t.currency, t.status order by t.kind, t.currency, t.status`,
    (rows) =>
      rows.map((row) => ({
        kind: Cell.oneOf(operationKinds, row.kind),
        currency: Cell.text(row.currency),
        status: Cell.oneOf(operationStatuses, row.status),
        count: Cell.int(row.count),
        units: Cell.units(row.units),
        feeUnits: Cell.units(row.fee_units)
      }))
  )
