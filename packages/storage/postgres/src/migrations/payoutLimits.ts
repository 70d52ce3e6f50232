import type { Migration } from "./Migration.ts"

/**
 * One set of limits for all that is paid out. What chain payouts used counts on under the name of the whole; what withdrawals used is
 * made anew from them for as long as the widest window of a policy, for it was kept for the window of the day; and what was cancelled
 * in review awaits none any more.
 */
export const payoutLimits: Migration = {
  id: 30,
  name: "payout_limits",
  statements: (sql) => [
    sql`create table paid_account (
      tenant_id uuid not null,
      account text not null,
      record_group text,
      first_paid_at timestamptz(3) not null,
      constraint paid_account_pkey primary key (tenant_id, account)
    )`,
    sql`update limit_usage set scope = case scope when 'CHAIN_PAYOUT' then 'PAYOUT' else 'PAYOUT_NEW_RECEIVER' end
      where scope in ('CHAIN_PAYOUT', 'CHAIN_PAYOUT_NEW_ADDRESS')`,
    sql`delete from limit_usage where scope = 'WITHDRAWAL'`,
    sql`insert into limit_usage (tenant_id, scope, buckets)
      select tenant_id, 'WITHDRAWAL', json_agg(json_build_object('from', bucket, 'cents', cents::text) order by bucket)
      from (
        select tenant_id, sum((details ->> 'usd_cents')::numeric) as cents,
          (floor(extract(epoch from created_at) / 300) * 300000)::bigint as bucket
        from operation
        where kind = 'WITHDRAWAL' and status <> 'FAILED' and created_at > now() - interval '720 hours'
          and details ->> 'usd_cents' is not null
        group by tenant_id, bucket
      ) used
      where cents > 0
      group by tenant_id`,
    sql`update operation
      set details = jsonb_set(details::jsonb, '{review,state}', '"REJECTED"')::json
      where status = 'FAILED' and details -> 'review' ->> 'state' = 'PENDING'`
  ]
}
