import type { Migration } from "./Migration.ts"

/** Arrivals on watched addresses, one row each whatever block they stand in. */
export const deposits: Migration = {
  id: 4,
  name: "deposits",
  statements: (sql) => [
    sql`create table deposit (
      tenant_id uuid not null,
      deposit_id uuid not null,
      address_id uuid not null,
      address text not null,
      reference text not null,
      network text not null,
      tx_hash text not null,
      transfer_index bigint not null,
      currency text not null,
      units numeric not null,
      from_address text,
      block_number bigint,
      block_hash text,
      block_time timestamptz(3),
      confirmations bigint not null,
      required_confirmations bigint not null,
      status text not null,
      historical boolean not null,
      detected_at timestamptz(3) not null,
      confirmed_at timestamptz(3),
      reorged_at timestamptz(3),
      change_seq bigint not null,
      credited_by uuid,
      constraint deposit_pkey primary key (tenant_id, deposit_id),
      constraint deposit_identity_key unique (tenant_id, network, tx_hash, transfer_index),
      constraint deposit_change_seq_key unique (tenant_id, change_seq),
      constraint deposit_address_fkey foreign key (tenant_id, address_id) references address (tenant_id, address_id),
      constraint deposit_units_positive check (units > 0 and scale(units) = 0),
      constraint deposit_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint deposit_status_known check (status in ('DETECTED', 'CONFIRMED', 'REORGED')),
      constraint deposit_block_whole check (num_nulls(block_number, block_hash, block_time) in (0, 3)),
      constraint deposit_change_seq_counts check (change_seq >= 1)
    )`,
    sql`create index deposit_reference on deposit (tenant_id, reference, change_seq)`,
    // for watchers, who look at one network over all tenants
    sql`create index deposit_detected on deposit (network, block_number, deposit_id) where status = 'DETECTED'`,
    sql`create index deposit_standing on deposit (network, block_number) where status <> 'REORGED'`,
    sql`create index deposit_transaction on deposit (network, tx_hash)`
  ]
}
