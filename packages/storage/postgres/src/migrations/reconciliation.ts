import type { Migration } from "./Migration.ts"

/** What was observed of the places where value stands, and what of it the books do not explain. */
export const reconciliation: Migration = {
  id: 49,
  name: "reconciliation",
  statements: (sql) => [
    sql`create table place_observation (
      tenant_id uuid not null,
      position_key text not null,
      place text not null,
      kind text not null,
      currency text not null,
      observation text not null,
      ledger numeric not null,
      observed numeric,
      in_flight numeric not null,
      in_flight_least numeric not null,
      in_flight_most numeric not null,
      difference numeric,
      block_number bigint,
      block_hash text,
      observed_at timestamptz(3) not null,
      constraint place_observation_pkey primary key (tenant_id, position_key),
      constraint place_observation_kind_known check (kind in ('payout_wallets', 'deposit_addresses', 'custodian', 'bank')),
      constraint place_observation_whole check (
        case observation
          when 'observed' then observed is not null and difference = ledger - in_flight - observed
          when 'unsupported' then num_nulls(observed, difference) = 2
        end),
      constraint place_observation_range check (in_flight between in_flight_least and in_flight_most),
      constraint place_observation_block check (num_nulls(block_number, block_hash) in (0, 2))
    )`,
    sql`create table past_observation (
      like place_observation including constraints,
      observation_id uuid not null,
      record_group text not null,
      expires_at timestamptz(3) not null,
      constraint past_observation_pkey primary key (tenant_id, observation_id)
    )`,
    sql`create index past_observation_group on past_observation (tenant_id, record_group)`,
    sql`create index past_observation_expiry on past_observation (tenant_id, expires_at)`,
    sql`create table reconciliation_break (
      tenant_id uuid not null,
      break_id uuid not null,
      record_group text,
      place text not null,
      currency text not null,
      units numeric not null,
      since timestamptz(3) not null,
      since_block bigint,
      candidates json not null,
      explained_by text,
      explanation text,
      explained_at timestamptz(3),
      alarmed_at timestamptz(3),
      closed_at timestamptz(3),
      constraint reconciliation_break_pkey primary key (tenant_id, break_id),
      constraint reconciliation_break_units check (units <> 0 and scale(units) = 0),
      constraint reconciliation_break_explained_whole check (num_nulls(explained_by, explanation, explained_at) in (0, 3))
    )`,
    sql`create index reconciliation_break_group on reconciliation_break (tenant_id, record_group) where record_group is not null`,
    // whoever compares the books with a place looks at all tenants
    sql`create index address_held on address (address) where origin in ('ISSUED', 'IMPORTED')`,
    sql`create index deposit_unbooked on deposit (network) where credited_by is null and status <> 'REORGED'`,
    sql`create index outbound_transaction_open on outbound_transaction (network) where phase in ('SIGNED', 'BROADCAST', 'INCLUDED')`,
    sql`create index outbound_transaction_final on outbound_transaction (network, block_number)
      where phase = 'FINAL' and block_number is not null`,
    sql`create index operation_with_provider on operation (provider)
      where provider is not null and status not in ('SETTLED', 'FAILED', 'RETURNED')`,
    sql`create index operation_at_provider on operation (provider, settled_at) where provider is not null and settled_at is not null`
  ]
}
