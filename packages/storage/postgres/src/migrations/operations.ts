import type { Migration } from "./Migration.ts"

/** The register: everything that moved, or is to move, a tenant's balance. */
export const operations: Migration = {
  id: 5,
  name: "operations",
  statements: (sql) => [
    sql`create table operation (
      tenant_id uuid not null,
      operation_id uuid not null,
      kind text not null,
      status text not null,
      currency text not null,
      units numeric not null,
      fee_currency text not null,
      fee_units numeric not null,
      to_currency text,
      to_units numeric,
      to_quoted_currency text,
      to_quoted_units numeric,
      customer_id text,
      acts_for text not null,
      network text,
      provider text,
      provider_reference text,
      partner_reference text,
      network_fee_currency text,
      network_fee_units numeric,
      tx_hash text,
      unresolved boolean not null,
      details json not null,
      created_at timestamptz(3) not null,
      settled_at timestamptz(3),
      constraint operation_pkey primary key (tenant_id, operation_id),
      constraint operation_kind_known check (kind in ('DEPOSIT', 'CHAIN_PAYOUT', 'WITHDRAWAL', 'SWAP', 'ON_RAMP', 'OFF_RAMP',
        'BANK_TRANSFER', 'INTERNAL_TRANSFER', 'REFUND', 'REVERSAL', 'ADJUSTMENT')),
      constraint operation_status_known check (status in ('ACCEPTED', 'IN_REVIEW', 'AWAITING_FUNDS', 'PROCESSING', 'SENT',
        'SETTLED', 'FAILED', 'RETURNED')),
      constraint operation_acts_for_known check (acts_for in ('TENANT', 'CUSTOMER')),
      constraint operation_units_positive check ((units > 0 or kind = 'ADJUSTMENT') and scale(units) = 0),
      constraint operation_fee_not_negative check (fee_units >= 0 and scale(fee_units) = 0)
    )`,
    sql`create index operation_age on operation (tenant_id, created_at, operation_id)`,
    sql`create index operation_kind on operation (tenant_id, kind, created_at, operation_id)`,
    // almost all operations end up settled: the others are few enough to be told apart by reading them
    sql`create index operation_unsettled on operation (tenant_id, created_at, operation_id) where status <> 'SETTLED'`,
    sql`create index operation_customer on operation (tenant_id, customer_id, created_at, operation_id)
      where customer_id is not null`
  ]
}
