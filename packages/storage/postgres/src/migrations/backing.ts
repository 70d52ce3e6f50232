import type { Migration } from "./Migration.ts"

/** What is reserved of the places where value stands, moves between them, and what tenants move from their own addresses. */
export const backing: Migration = {
  id: 27,
  name: "backing",
  statements: (sql) => [
    sql`create table asset_reservation (
      tenant_id uuid not null,
      reservation_key text not null,
      record_group text not null,
      account text not null,
      currency text not null,
      units numeric not null,
      constraint asset_reservation_pkey primary key (tenant_id, reservation_key),
      constraint asset_reservation_units_whole check (units >= 0 and scale(units) = 0)
    )`,
    sql`create index asset_reservation_group on asset_reservation (tenant_id, record_group)`,
    // what is in flight already counts
    sql`insert into asset_reservation (tenant_id, reservation_key, record_group, account, currency, units)
      select tenant_id, account || '|' || currency, account, account, currency, sum(units)
      from (
        select tenant_id, case when kind in ('WITHDRAWAL', 'SWAP') then 'custodian' else 'bank' end as account, currency, units
        from operation
        where kind in ('WITHDRAWAL', 'SWAP', 'OFF_RAMP', 'BANK_TRANSFER', 'REFUND') and details->>'sent_at' is not null
          and status not in ('SETTLED', 'FAILED', 'RETURNED')
        union all
        select s.tenant_id, 'chain:' || s.network || ':payouts', p.currency, p.units
        from spend s cross join lateral json_array_elements(s.payments) as paid
        join payout p on p.tenant_id = s.tenant_id and p.operation_id = (paid->>'operationId')::uuid
        where s.phase <> 'FINAL') as in_flight
      group by tenant_id, account, currency`,
    sql`alter table float_adjustment add column from_account text,
      add constraint float_adjustment_moves check (from_account is null or (units > 0 and from_account <> against))`,
    sql`alter table deposit add column own_units numeric not null default 0,
      add constraint deposit_own_units_within check (own_units >= 0 and own_units <= units and scale(own_units) = 0
        and (own_units = 0 or credited_by is not null))`,
    sql`alter table wallet_arrival add column own_units numeric not null default 0,
      add constraint wallet_arrival_own_units_within check (own_units >= 0 and own_units <= units and scale(own_units) = 0
        and (own_units = 0 or booked_by is not null))`,
    sql`alter table ledger_leg drop constraint ledger_leg_what_known,
      add constraint ledger_leg_what_known check (what in ('hold', 'release', 'principal', 'fee', 'network_fee', 'convert_out',
        'convert_in', 'return', 'reversal', 'sweep', 'top_up', 'adjustment', 'shortfall'))`
  ]
}
