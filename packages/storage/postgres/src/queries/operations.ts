import { type Operation, operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import type { CategoryTotal, OperationQuery, RegisterQuery } from "@bursar/core/store/Queries"
import {
  type ListedOperation,
  logUnreadableOperation,
  type UnreadableOperation
} from "@bursar/core/store/UnreadableOperation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { given } from "../internal/select.ts"
import { registeredText } from "../storage/totals.ts"
import { operationTable } from "../table/operationTable.ts"
import { byCategory, plainly } from "./categories.ts"
import { type Span, totalSpans } from "./totalSpans.ts"

const within = (sql: SqlClient, { since, until }: Span): ReadonlyArray<Fragment> => [
  ...given(since, (from) => sql`t.created_at >= ${new Date(from)}`),
  ...given(until, (to) => sql`t.created_at < ${new Date(to)}`)
]

/** What is asked of a category `c`: nothing where only times are. */
const categoriesOf = (
  sql: SqlClient,
  query: Pick<OperationQuery, "kinds" | "network" | "provider" | "status"> &
    Pick<RegisterQuery, "actsFor" | "currency" | "kind">
): ReadonlyArray<Fragment> => [
  ...given(query.kind, (kind) => sql`c.kind = ${kind}`),
  ...given(query.kinds, (kinds) => sql.in("c.kind", kinds)),
  ...given(query.status, (status) => sql`c.status = ${status}`),
  ...given(query.currency, (currency) => sql`c.currency = ${currency}`),
  ...given(query.actsFor, (actsFor) => sql`c.acts_for = ${actsFor}`),
  ...given(query.network, (network) => sql`c.network = ${network}`),
  ...given(query.provider, (provider) => sql`c.provider = ${provider}`)
]

/** The same, asked of an operation `t`: for what is found by an index of its own. */
const alike = (sql: SqlClient, query: Parameters<typeof categoriesOf>[1]): ReadonlyArray<Fragment> => [
  ...given(query.kind, (kind) => sql`t.kind = ${kind}`),
  ...given(query.kinds, (kinds) => sql.in("t.kind", kinds)),
  ...given(query.status, (status) => sql`t.status = ${status}`),
  ...given(query.currency, (currency) => sql`t.currency = ${currency}`),
  ...given(query.actsFor, (actsFor) => sql`t.acts_for = ${actsFor}`),
  ...given(query.network, (network) => sql`t.network = ${network}`),
  ...given(query.provider, (provider) => sql`t.provider = ${provider}`)
]

const after = (sql: SqlClient, order: OperationQuery["order"], place: OperationQuery["after"]) =>
  given(place, ({ createdAt, id }) =>
    order === "newest"
      ? sql`(t.created_at, t.operation_id) < (${new Date(createdAt)}, ${id}::uuid)`
      : sql`(t.created_at, t.operation_id) > (${new Date(createdAt)}, ${id}::uuid)`
  )

/** What is found by an index of its own, because there is never much of it. */
const seldom = (sql: SqlClient, query: OperationQuery): ReadonlyArray<Fragment> => [
  ...(query.unresolved === true ? [sql`t.unresolved`] : []),
  ...given(query.contradicted, () => sql`t.details->>'contradiction' is not null`),
  ...given(query.txHash, (hash) => sql`t.tx_hash = ${hash}`),
  ...given(
    query.waitingReason,
    (reason) => sql`t.operation_id in (
      select w.operation_id from operation w where w.tenant_id = x.tenant_id and w.details->'waits' is not null
        and w.details->'waits'->>'reason' = ${reason}
      union all select p.operation_id from payout p where p.tenant_id = x.tenant_id and p.transaction_id is null
        and p.waits is not null and p.waits->>'reason' = ${reason})`
  )
]

/** The rows of operations of one tenant or of all, as operators look for them. Each tenant's go along its own index. */
const operationRows = (sql: SqlClient, query: OperationQuery): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
  const { limit, order, tenantId } = query
  const categories = categoriesOf(sql, query)
  const few = seldom(sql, query)
  const wanted = [
    ...(query.unresolved === false ? [sql`not t.unresolved`] : []),
    ...within(sql, query),
    ...after(sql, order, query.after)
  ]
  const ofTenant = (alias: string) => given(tenantId, (id) => sql`${sql.literal(alias)}.tenant_id = ${id}`)
  const tenants = sql`(select tenant_id from tenant y where ${sql.and([sql`true`, ...ofTenant("y")])})`
  return few.length > 0 || categories.length === 0
    ? plainly<Row>(sql, tenants, { operations: [...few, ...alike(sql, query), ...wanted], order, limit })
    : byCategory<Row>(sql, { categories: [...ofTenant("c"), ...categories], operations: wanted, order, limit })
}

/** Operations of one tenant or of all. It fails where one of them cannot be read. */
export const operations = (sql: SqlClient, query: OperationQuery): Effect.Effect<ReadonlyArray<Operation>, SqlError> =>
  Effect.map(operationRows(sql, query), (rows) => rows.map(operationTable.read))

/** An operation of a row, or what is known of it where it cannot be read, which is logged. */
export const listed = (row: Row): Effect.Effect<ListedOperation> => {
  const read = Result.try(() => operationTable.read(row))
  if (Result.isSuccess(read)) return Effect.succeed(read.success)
  const unreadable: UnreadableOperation = {
    id: Cell.text(row.operation_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    kind: Cell.text(row.kind),
    status: Cell.text(row.status),
    createdAt: Cell.at(row.created_at),
    problem: read.failure instanceof Error ? read.failure.message : String(read.failure)
  }
  return Effect.as(logUnreadableOperation(unreadable), unreadable)
}

/** Operations of one tenant or of all, each that cannot be read by what is known of it. */
export const listedOperations = (
  sql: SqlClient,
  query: OperationQuery
): Effect.Effect<ReadonlyArray<ListedOperation>, SqlError> =>
  Effect.flatMap(operationRows(sql, query), (rows) => Effect.forEach(rows, listed))

/** The rows of a page of the register, newest first. */
const registerRows = (
  sql: SqlClient,
  tenantId: TenantId,
  query: RegisterQuery
): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
  const { limit, unresolved } = query
  const categories = categoriesOf(sql, query)
  const few = [
    ...given(query.partnerReference, (reference) => sql`t.partner_reference = ${reference}`),
    ...given(query.customerId, (customer) => sql`t.customer_id = ${customer}`),
    ...(unresolved === true ? [sql`t.unresolved`] : [])
  ]
  const wanted = [
    sql.literal(registeredText),
    ...(unresolved === false ? [sql`not t.unresolved`] : []),
    ...within(sql, query),
    ...after(sql, "newest", query.after)
  ]
  const page = { order: "newest", limit } as const
  return few.length > 0 || categories.length === 0
    ? plainly<Row>(sql, sql`(select ${tenantId}::uuid as tenant_id)`, {
        operations: [...few, ...alike(sql, query), ...wanted],
        ...page
      })
    : byCategory<Row>(sql, {
        categories: [sql`c.tenant_id = ${tenantId} and c.registered`, ...categories],
        operations: wanted,
        ...page
      })
}

/** A page of the register, newest first. It fails where one of the operations cannot be read. */
export const register = (
  sql: SqlClient,
  tenantId: TenantId,
  query: RegisterQuery
): Effect.Effect<ReadonlyArray<Operation>, SqlError> =>
  Effect.map(registerRows(sql, tenantId, query), (rows) => rows.map(operationTable.read))

/** A page of the register, newest first, each operation that cannot be read by what is known of it. */
export const listedRegister = (
  sql: SqlClient,
  tenantId: TenantId,
  query: RegisterQuery
): Effect.Effect<ReadonlyArray<ListedOperation>, SqlError> =>
  Effect.flatMap(registerRows(sql, tenantId, query), (rows) => Effect.forEach(rows, listed))

const startsWithin = (sql: SqlClient, span: "day" | "hour", { since, until }: Span): Fragment =>
  sql.and([
    sql`c.span = ${span}`,
    ...given(since, (from) => sql`c.starts_at >= ${new Date(from)}`),
    ...given(until, (to) => sql`c.starts_at < ${new Date(to)}`)
  ])

/** Totals by kind, currency and status: what was kept of whole days and hours, and what the rest comes to. */
export const summary = (
  sql: SqlClient,
  tenantId: TenantId,
  span: Span
): Effect.Effect<ReadonlyArray<CategoryTotal>, SqlError> => {
  const { days, hours, rest } = totalSpans(span)
  const ever = span.since === undefined && span.until === undefined
  const kept = ever
    ? [sql`c.span = 'ever'`]
    : [...days.map((one) => startsWithin(sql, "day", one)), ...hours.map((one) => startsWithin(sql, "hour", one))]
  const parts = [
    ...kept.map(
      (one) => sql`select c.kind, c.currency, c.status, c.operations, c.units, c.fee_units from operation_total c
        where c.tenant_id = ${tenantId} and c.registered and ${one}`
    ),
    ...rest.map(
      (one) => sql`select t.kind, t.currency, t.status, 1 as operations, t.units, t.fee_units from operation t
        where ${sql.and([sql`t.tenant_id = ${tenantId}`, sql.literal(registeredText), ...within(sql, one)])}`
    )
  ]
  const [first, ...others] = parts
  if (first === undefined) return Effect.succeed([])
  const all = others.reduce((before, one) => sql`${before} union all ${one}`, first)
  return Effect.map(
    sql<Row>`select kind, currency, status, sum(operations)::int8 as count, sum(units) as units, sum(fee_units) as fee_units
      from (${all}) part group by kind, currency, status having sum(operations) > 0 order by kind, currency, status`,
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
}
