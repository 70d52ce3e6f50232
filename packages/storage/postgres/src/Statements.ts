import { isUuid } from "@bursar/core/base/uuid"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { operationStatuses } from "@bursar/core/operation/Operation"
import { type Factors, type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import type { AboutOperation } from "@bursar/core/reconciliation/statement/StatementLine"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, numeric, text, uuid } from "./internal/columnTypes.ts"

const aboutOf = (row: Row): AboutOperation => ({
  operationId: Cell.text(row.operation_id),
  tenantId: TenantId(Cell.text(row.tenant_id))
})

/** What has left the account without having stood there is beside it. */
const accountsOf = ({ account }: StatementBooks) => arrayParameter(text, [account, `suspense:${account}`])

/** Whether an operation (`o`) is one of the provider's, of a tenant (`t`) of its environment. */
const isOfProvider = (sql: SqlClient, { environment, provider, withAdjustments }: StatementBooks) =>
  sql`t.kind = ${environment} and (o.provider = ${provider} or (${withAdjustments} and o.provider is null))`

/** The operation (`x`) that an adjustment (`o`) corrects, if it does. The details are text: somebody may have made something else of it. */
const corrected = (sql: SqlClient) =>
  sql`operation x on o.kind = 'ADJUSTMENT' and x.tenant_id = o.tenant_id and x.operation_id = case
    when o.details->>'corrects' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (o.details->>'corrects')::uuid end`

/** The operation (`o`) and the adjustments that correct it, as a table. What is another provider's has booked nothing here, and adjustments have where they count. */
const withCorrections = (sql: SqlClient, { provider, withAdjustments }: StatementBooks) =>
  sql`select o.operation_id, false as corrects, coalesce(o.provider = ${provider}, true) as is_here
    union all
    select c.operation_id, true, true from operation c where ${withAdjustments} and c.tenant_id = o.tenant_id
      and c.kind = 'ADJUSTMENT' and c.details->>'corrects' = o.operation_id::text`

/** The currencies of a holding, as a table of what one base unit of each is. */
const factorTable = (sql: SqlClient, factors: Factors) =>
  sql`unnest(${arrayParameter(text, [...factors.keys()])}::text[],
    ${arrayParameter(numeric, [...factors.values()].map(String))}::numeric[]) as f(currency, factor)`

/** Whether a statement that is whole has brought a line (`s`). Somebody may have made something else of a list: then it counts for an empty one. */
const isTold = (sql: SqlClient) =>
  sql`exists (select from statement w where w.tenant_id = s.tenant_id
    and case json_typeof(w.received) when 'array' then json_array_length(w.received) else 0 end = w.parts
    and w.statement_key = any(array(select s.place || '|' || named.id
      from (select s.statement_id union all
        select json_array_elements_text(case json_typeof(s.also_in) when 'array' then s.also_in end)) as named(id))))`

/** The bookings at providers beside the lines of their statements. */
export const layer = Layer.effect(
  Statements,
  Effect.map(Connection, ({ sql }) =>
    Statements.of({
      named: (books, names) =>
        sql<Row>`select n.name, o.operation_id, o.tenant_id from unnest(${arrayParameter(text, names)}::text[]) as n(name)
            join operation o on o.provider = ${books.provider} and o.provider_reference = n.name
            join tenant t on t.tenant_id = o.tenant_id and t.kind = ${books.environment}
          union
          select o.operation_id::text, o.operation_id, o.tenant_id from operation o
            join tenant t on t.tenant_id = o.tenant_id and t.kind = ${books.environment}
            where o.provider = ${books.provider} and o.operation_id = any(${arrayParameter(uuid, names.filter(isUuid))})`.pipe(
          Effect.map((rows) => {
            const found = Map.groupBy(rows, (row) => Cell.text(row.name))
            // a name of two operations names neither
            return new Map(
              [...found].flatMap(([name, [row, ...others]]) =>
                row === undefined || others.length > 0 ? [] : [[name, aboutOf(row)] as const]
              )
            )
          }),
          attempt("find operations that a statement names")
        ),
      touched: (books, { from, to }, { after, limit }) => {
        const [since, until] = [new Date(from), new Date(to)]
        return sql<Row>`select operation_id, tenant_id from (
          select distinct coalesce(x.operation_id, b.operation_id) as operation_id, b.tenant_id from (
            select l.operation_id, l.tenant_id from ledger_leg l
              join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
              join tenant t on t.tenant_id = l.tenant_id
              where l.account = any(${accountsOf(books)}) and l.posted_at >= ${since} and l.posted_at < ${until}
                and ${isOfProvider(sql, books)}
            union
            select o.operation_id, o.tenant_id from operation o join tenant t on t.tenant_id = o.tenant_id
              where o.provider = ${books.provider} and o.settled_at >= ${since} and o.settled_at < ${until}
                and t.kind = ${books.environment}
            union
            select s.about_operation, s.about_tenant from statement_line s
              where s.tenant_id = ${fleetTenantId} and s.place = ${books.place} and s.line_at >= ${since}
                and s.line_at < ${until} and s.about_operation is not null
          ) as b
          left join operation o on o.tenant_id = b.tenant_id and o.operation_id = b.operation_id
          left join ${corrected(sql)}
          ) as touched where ${after}::uuid is null or operation_id > ${after}::uuid order by operation_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(aboutOf)),
          attempt("find what was booked in the time of a statement")
        )
      },
      compared: (books, operations, factors, since) =>
        sql<Row>`with f as (select * from ${factorTable(sql, factors)})
          select o.operation_id, o.tenant_id, o.created_at, o.status, l.booked, l.booked_since, l.corrected_since, l.booked_in, l.booked_at,
            s.shown, s.shown_in
          from (select distinct o.tenant_id, coalesce(x.operation_id, o.operation_id) as operation_id from unnest(${arrayParameter(
            uuid,
            operations.map(({ tenantId }) => tenantId)
          )}::uuid[], ${arrayParameter(
            uuid,
            operations.map(({ operationId }) => operationId)
          )}::uuid[]) as n(tenant_id, operation_id)
            join operation o on o.tenant_id = n.tenant_id and o.operation_id = n.operation_id
            left join ${corrected(sql)}) as a
          join operation o on o.tenant_id = a.tenant_id and o.operation_id = a.operation_id
          cross join lateral (
            select coalesce(sum(l.signed), 0) as booked,
              coalesce(sum(l.signed) filter (where l.posted_at >= ${new Date(since)}), 0) as booked_since,
              coalesce(sum(l.signed) filter (where l.corrects and l.posted_at >= ${new Date(since)}), 0) as corrected_since,
              coalesce(sum(l.signed) filter (where l.signed > 0), 0) as booked_in, max(l.posted_at) as booked_at
            from (select w.corrects, l.posted_at, sum(f.factor * case l.direction when 'DEBIT' then l.units else -l.units end) as signed
              from (${withCorrections(sql, books)}) as w
              join ledger_leg l on l.tenant_id = o.tenant_id and l.operation_id = w.operation_id
              join f on f.currency = l.currency
              where w.is_here and l.account = any(${accountsOf(books)})
              group by w.operation_id, w.corrects, l.posted_at) as l
          ) as l
          cross join lateral (
            select coalesce(sum(s.units * f.factor), 0) as shown,
              coalesce(sum(s.units * f.factor) filter (where s.units > 0), 0) as shown_in
            from (${withCorrections(sql, books)}) as w
            join statement_line s on s.tenant_id = ${fleetTenantId} and s.record_group = ${books.place} || '|' || w.operation_id
            join f on f.currency = s.currency
            where ${isTold(sql)}
          ) as s
          order by o.operation_id`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              ...aboutOf(row),
              createdAt: Cell.at(row.created_at),
              isOver: isOver(Cell.oneOf(operationStatuses, row.status)),
              booked: Cell.units(row.booked),
              bookedSince: Cell.units(row.booked_since),
              correctedSince: Cell.units(row.corrected_since),
              bookedIn: Cell.units(row.booked_in),
              bookedAt: Cell.atOrNull(row.booked_at),
              shown: Cell.units(row.shown),
              shownIn: Cell.units(row.shown_in)
            }))
          ),
          attempt("compare operations with statements")
        ),
      unshown: (books, { factors, units }, { around, limit, withinMs }) =>
        sql<Row>`select l.operation_id, l.tenant_id, min(l.posted_at) as at from (
          select l.operation_id, l.tenant_id, l.posted_at,
            sum(f.factor * case l.direction when 'DEBIT' then l.units else -l.units end) as signed
          from ledger_leg l join ${factorTable(sql, factors)} on f.currency = l.currency
          join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
          join tenant t on t.tenant_id = l.tenant_id
          where l.account = any(${accountsOf(books)}) and l.posted_at >= ${new Date(around - withinMs)}
            and l.posted_at <= ${new Date(around + withinMs)} and ${isOfProvider(sql, books)}
            and not exists (select from statement_line s where s.tenant_id = ${fleetTenantId}
              and s.record_group = ${books.place} || '|' || l.operation_id
              and sign(s.units) = sign(${units.toString()}::numeric) and ${isTold(sql)})
          group by l.tenant_id, l.operation_id, l.posted_at
          ) as l where sign(l.signed) = sign(${units.toString()}::numeric)
          group by l.tenant_id, l.operation_id having sum(l.signed) = ${units.toString()}::numeric
          order by abs(extract(epoch from (min(l.posted_at) - ${new Date(around)}::timestamptz))), l.operation_id
          limit ${limit}`.pipe(
          Effect.map((rows) => rows.map((row) => ({ ...aboutOf(row), at: Cell.at(row.at) }))),
          attempt("find what was booked of an amount")
        )
    })
  )
)
