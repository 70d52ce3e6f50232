import { totalsOf } from "@bursar/postgres/storage/totals"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { canary } from "./consoleBrowser.ts"

/** Gives a tenant so many operations of several kinds, a few seconds apart, the oldest with a reference that is an attack, and what a commit keeps beside them. */
export const writeOperations = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  tenantId: string,
  operations: number
) {
  yield* sql`insert into operation (tenant_id, operation_id, kind, status, currency, units, fee_currency, fee_units, acts_for, network,
      partner_reference, network_fee_currency, network_fee_units, unresolved, details, created_at, settled_at)
    select ${tenantId}, gen_random_uuid(), (array['WITHDRAWAL', 'SWAP', 'ON_RAMP'])[1 + n % 3],
      case when n % 50 = 0 then 'FAILED' else 'SETTLED' end, 'ETH',
      case when n = ${operations} then 100000000000000000 else (1 + n * 7919 % 4000)::numeric * 1000000000000000 + 500000000000000 end, 'ETH', 0, 'TENANT', 'ethereum',
      case when n = ${operations} then ${canary} else 'order ' || n end, 'ETH', 21000000000000, false, '{}',
      t.at, t.at + (3 + n * 31 % 90) * interval '1 second'
    from generate_series(1, ${operations}::int) n
    cross join lateral (select now() - (n * 5 + 2400 * sin(n / 1500.0)) * interval '1 second' as at) t`
  yield* sql.unsafe(totalsOf("true", 1))
  yield* sql`analyze operation, operation_total`
})
