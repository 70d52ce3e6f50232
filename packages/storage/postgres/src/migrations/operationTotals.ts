import { totalsOf } from "../storage/totals.ts"
import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/**
 * What operations come to by category, ever and by day and hour, kept by every commit; and one index that finds the newest of each category.
 * It stands in for those of kinds, of transfers and of what is not settled.
 */
export const operationTotals: Migration = {
  id: 59,
  name: "operation_totals",
  statements: (sql) => [
    sql`create table operation_total (
      tenant_id uuid not null,
      span text not null,
      starts_at timestamptz(3) not null,
      kind text not null,
      currency text not null,
      status text not null,
      acts_for text not null,
      network text not null,
      provider text not null,
      registered boolean not null,
      operations bigint not null,
      units numeric not null,
      fee_units numeric not null,
      constraint operation_total_pkey
        primary key (tenant_id, span, starts_at, kind, currency, status, acts_for, network, provider, registered),
      constraint operation_total_span_known check (span in ('ever', 'day', 'hour'))
    ) with (fillfactor = 50)`,
    sql.unsafe(totalsOf("true", 1)),
    sql`create index operation_category on operation (tenant_id, kind, currency, status, acts_for, coalesce(network, ''),
      coalesce(provider, ''), created_at, operation_id)`,
    sql`drop index operation_kind, operation_unsettled, operation_transfer`,
    sql`create index operation_contradicted on operation (tenant_id, created_at, operation_id)
      where details->>'contradiction' is not null`,
    sql`create index operation_waiting on operation (tenant_id, (details->'waits'->>'reason')) where details->'waits' is not null`,
    sql`create index payout_waiting on payout (tenant_id, (waits->>'reason')) where transaction_id is null and waits is not null`,
    sql`create index address_network on address (tenant_id, network, created_at, address_id)`,
    guardValues(sql)
  ]
}
