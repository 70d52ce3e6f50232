import type { BalancePoint, Steps } from "@bursar/core/store/Series"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"

/**
 * What a tenant had available and held at the end of each step. Versions of an account have no gaps and time never goes back along them, so
 * each place is found by halving: some twenty lookups by key for a step, however many legs there are.
 */
export const balances = (
  sql: SqlClient,
  tenantId: TenantId,
  { from, stepMs, until }: Steps
): Effect.Effect<ReadonlyArray<BalancePoint>, SqlError> =>
  Effect.map(
    sql<Row>`with recursive halves (account, currency, at, low, high) as (
      select b.account, b.currency, s.at, 0::int8, b.version
        from balance b cross join generate_series(${new Date(from)}::timestamptz, ${new Date(until - 1)}::timestamptz,
          ${`${stepMs} milliseconds`}::interval) as s(at)
        where b.tenant_id = ${tenantId} and b.account in ('float:available', 'float:held')
      union all
      select h.account, h.currency, h.at,
        case when l.posted_at < h.at + ${`${stepMs} milliseconds`}::interval then l.version else h.low end,
        case when l.posted_at < h.at + ${`${stepMs} milliseconds`}::interval then h.high else l.version - 1 end
      from halves h join ledger_leg l on l.tenant_id = ${tenantId} and l.account = h.account and l.currency = h.currency
        and l.version = (h.low + h.high + 1) / 2
      where h.low < h.high
    ) select h.at, h.currency, sum(coalesce(l.balance, 0)) as units from halves h
      left join ledger_leg l on l.tenant_id = ${tenantId} and l.account = h.account and l.currency = h.currency
        and l.version = h.low
      where h.low = h.high group by 1, 2 order by 1, 2`,
    (rows) =>
      rows.map((row) => ({
        at: Cell.at(row["at"]),
        balance: { units: Cell.units(row.units), currency: Cell.text(row.currency) }
      }))
  )
