import { isUuid } from "@bursar/core/base/uuid"
import { operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import { Series, type SeriesQuery } from "@bursar/core/store/Series"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { dayMs } from "./storage/totals.ts"
import { balances } from "./queries/balancesOverTime.ts"

/** The beginning of the step that a moment lies in. */
const stepOf = (sql: SqlClient, column: string, { from, stepMs }: SeriesQuery) =>
  sql`date_bin(${`${stepMs} milliseconds`}::interval, ${sql.literal(column)}, ${new Date(from)}::timestamptz)`

/** Which totals have the steps: those of hours or of days. */
const spanOf = ({ stepMs }: SeriesQuery): "day" | "hour" => (stepMs === dayMs ? "day" : "hour")

/** What all operations that were accepted within the steps have, one tenant after the other along its own index. */
const accepted = (sql: SqlClient, { from, tenantId, until }: SeriesQuery) =>
  sql`tenant x cross join lateral (select * from operation o where o.tenant_id = x.tenant_id
    and o.created_at >= ${new Date(from)} and o.created_at < ${new Date(until)}) t
    where ${tenantId === undefined ? sql.literal("true") : sql`x.tenant_id = ${tenantId}`}`

/** How many there are of an interval, the middle one and the 95th of a hundred, in whole milliseconds. */
const durationsIn = (sql: SqlClient, interval: string) => {
  const of = (share: number) =>
    `round(1000 * percentile_cont(${share}) within group (order by extract(epoch from ${interval})))::int8`
  return sql.literal(`count(*) as count, ${of(0.5)} as median_ms, ${of(0.95)} as p95_ms`)
}

const durationsOf = (row: Row) => ({
  at: Cell.at(row["at"]),
  count: Cell.int(row["count"]),
  medianMs: Cell.int(row["median_ms"]),
  p95Ms: Cell.int(row["p95_ms"])
})

/** What happened over time. */
export const layer = Layer.effect(
  Series,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const isNone = ({ tenantId }: SeriesQuery) => tenantId !== undefined && !isUuid(tenantId)
    return Series.of({
      volume: (query) =>
        isNone(query)
          ? Effect.succeed([])
          : sql<Row>`select t.starts_at as at, t.kind, t.status, t.currency, sum(t.operations)::int8 as count, sum(t.units) as units
              from tenant x join operation_total t on t.tenant_id = x.tenant_id and t.span = ${spanOf(query)}
                and t.starts_at >= ${new Date(query.from)} and t.starts_at < ${new Date(query.until)}
              where ${query.tenantId === undefined ? sql.literal("true") : sql`x.tenant_id = ${query.tenantId}`}
              group by 1, 2, 3, 4 having sum(t.operations) > 0 order by 1, 2, 3, 4`.pipe(
              Effect.map((rows) =>
                rows.map((row) => ({
                  at: Cell.at(row["at"]),
                  kind: Cell.oneOf(operationKinds, row.kind),
                  status: Cell.oneOf(operationStatuses, row.status),
                  amount: { units: Cell.units(row.units), currency: Cell.text(row.currency) },
                  count: Cell.int(row["count"])
                }))
              ),
              attempt("sum up operations over time")
            ),
      settlement: (query) =>
        isNone(query)
          ? Effect.succeed([])
          : sql<Row>`select ${stepOf(sql, "t.created_at", query)} as at, t.kind, ${durationsIn(sql, "t.settled_at - t.created_at")}
              from ${accepted(sql, query)} and t.settled_at is not null group by 1, 2 order by 1, 2`.pipe(
              Effect.map((rows) =>
                rows.map((row) => ({ ...durationsOf(row), kind: Cell.oneOf(operationKinds, row.kind) }))
              ),
              attempt("sum up times of settlement")
            ),
      confirmation: (query) =>
        isNone(query)
          ? Effect.succeed([])
          : sql<Row>`select ${stepOf(sql, "t.detected_at", query)} as at, t.network,
              ${durationsIn(sql, "t.confirmed_at - t.detected_at")} from deposit t
              where ${sql.and([
                sql`t.detected_at >= ${new Date(query.from)} and t.detected_at < ${new Date(query.until)}`,
                sql`t.confirmed_at is not null and not t.historical`,
                ...(query.tenantId === undefined ? [] : [sql`t.tenant_id = ${query.tenantId}`])
              ])} group by 1, 2 order by 1, 2`.pipe(
              Effect.map((rows) => rows.map((row) => ({ ...durationsOf(row), network: Cell.text(row.network) }))),
              attempt("sum up times of confirmation")
            ),
      fees: (query) =>
        isNone(query)
          ? Effect.succeed([])
          : sql<Row>`select ${stepOf(sql, "t.created_at", query)} as at, t.network, t.network_fee_currency as currency,
              count(*) as count, sum(t.network_fee_units) as units
              from ${accepted(sql, query)} and t.network is not null and t.network_fee_currency is not null
              group by 1, 2, 3 order by 1, 2, 3`.pipe(
              Effect.map((rows) =>
                rows.map((row) => ({
                  at: Cell.at(row["at"]),
                  network: Cell.text(row.network),
                  fee: { units: Cell.units(row.units), currency: Cell.text(row.currency) },
                  count: Cell.int(row["count"])
                }))
              ),
              attempt("sum up fees of networks")
            ),
      balances: (tenantId, steps) =>
        isUuid(tenantId) ? balances(sql, tenantId, steps).pipe(attempt("read balances over time")) : Effect.succeed([]),
      lag: (steps) =>
        sql<Row>`select ${stepOf(sql, "minute", steps)} as at, network, max(blocks) as blocks from network_lag
          where minute >= ${new Date(steps.from)} and minute < ${new Date(steps.until)} group by 1, 2 order by 1, 2`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              at: Cell.at(row["at"]),
              network: Cell.text(row.network),
              blocks: Cell.int(row["blocks"])
            }))
          ),
          attempt("read how far behind networks were")
        )
    })
  })
)
