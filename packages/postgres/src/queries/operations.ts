import { type Operation, operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import type { Timestamp } from "@bursar/core/engine/Timestamp"
import type { CategoryTotal, RegisterQuery } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { given, select } from "../internal/select.ts"
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
      from operation t where ${sql.and([sql`t.tenant_id = ${tenantId}`, ...within(sql, span)])}
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
