import type { Migration } from "./Migration.ts"

/** What a payout has been in before the spend that it names, and the coins that a foreign transaction has left of a spend. */
export const earlierSpends: Migration = {
  id: 22,
  name: "earlier_spends",
  statements: (sql) => [
    // null where there are none, as of nearly all
    sql`alter table payout add column earlier_spends json`,
    sql`alter table spend add column freed json,
      add constraint spend_freed_when_replaced check (freed is null or outcome is not distinct from 'replaced')`,
    // payouts that were tried again name the newest spend alone so far; that they were in the others, those tell
    sql`update payout set earlier_spends = found.ids
      from (
        select s.tenant_id, (paid->>'operationId')::uuid as operation_id, json_agg(s.spend_id order by s.reserved_at) as ids
        from spend s cross join lateral json_array_elements(s.payments) as paid
        join payout p on p.tenant_id = s.tenant_id and p.operation_id = (paid->>'operationId')::uuid
        where s.outcome = 'expired' and p.spend_id is distinct from s.spend_id
        group by s.tenant_id, paid->>'operationId') as found
      where payout.tenant_id = found.tenant_id and payout.operation_id = found.operation_id`
  ]
}
