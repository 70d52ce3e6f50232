import type { Migration } from "./Migration.ts"

/** What moves what arrived on addresses to payout wallets: deposits to be moved, the moves, their accounts, and what it costs. */
export const sweeps: Migration = {
  id: 20,
  name: "sweeps",
  statements: (sql) => [
    sql`create table intake (
      tenant_id uuid not null,
      intake_key text not null,
      record_group text,
      deposit_id uuid not null,
      network text not null,
      tx_hash text not null,
      transfer_index bigint not null,
      address_id uuid not null,
      address text not null,
      currency text not null,
      contract text,
      units numeric not null,
      address_key json not null,
      gone boolean not null,
      sweep_id uuid,
      booked_by uuid,
      constraint intake_pkey primary key (tenant_id, intake_key),
      constraint intake_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint intake_units_positive check (units > 0 and scale(units) = 0)
    )`,
    sql`create index intake_group on intake (tenant_id, record_group) where record_group is not null`,
    sql`create table sweep (
      tenant_id uuid not null,
      sweep_id uuid not null,
      record_group text,
      network text not null,
      address_id uuid not null,
      address text not null,
      account text not null,
      address_key json not null,
      currency text not null,
      contract text,
      units numeric not null,
      state text not null,
      top_up_spend_id uuid,
      sweep_spend_id uuid,
      deposits json not null,
      problem text,
      created_at timestamptz(3) not null,
      ended_at timestamptz(3),
      closed_at timestamptz(3),
      constraint sweep_pkey primary key (tenant_id, sweep_id),
      constraint sweep_top_up_fkey foreign key (tenant_id, top_up_spend_id) references spend (tenant_id, spend_id),
      constraint sweep_spend_fkey foreign key (tenant_id, sweep_spend_id) references spend (tenant_id, spend_id),
      constraint sweep_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint sweep_state_known
        check (state in ('ELIGIBLE', 'TOPUP_SIGNED', 'TOPUP_CONFIRMED', 'SWEEP_SIGNED', 'SWEPT', 'GIVEN_UP')),
      constraint sweep_ended_when_over check ((state in ('SWEPT', 'GIVEN_UP')) = (ended_at is not null)),
      constraint sweep_closed_after_its_end check (closed_at is null or ended_at is not null),
      constraint sweep_units_positive check (units > 0 and scale(units) = 0)
    )`,
    sql`create index sweep_group on sweep (tenant_id, record_group)`,
    // what arrived on an address is in one sweep at a time
    sql`create unique index sweep_one_open on sweep (tenant_id, address_id, currency) where closed_at is null`,
    sql`create table sweep_account (
      tenant_id uuid not null,
      sweep_account_key text not null,
      record_group text,
      network text not null,
      account text not null,
      next_sequence numeric,
      next_salt bigint not null,
      spend_id uuid,
      sweep_ids json not null,
      failures bigint not null,
      constraint sweep_account_pkey primary key (tenant_id, sweep_account_key)
    )`,
    sql`create table imported_address_key (
      tenant_id uuid not null,
      imported_address text not null,
      record_group text,
      network text not null,
      address text not null,
      key_id uuid not null,
      public_key text not null,
      constraint imported_address_key_pkey primary key (tenant_id, imported_address)
    )`,
    sql`create table intake_cost (
      tenant_id uuid not null,
      currency text not null,
      record_group text not null,
      coin text not null,
      sweeps bigint not null,
      fee_units numeric not null,
      usd_cents numeric,
      since timestamptz(3) not null,
      until timestamptz(3) not null,
      constraint intake_cost_pkey primary key (tenant_id, currency)
    )`,
    sql`create index intake_cost_group on intake_cost (tenant_id, record_group)`,
    // what comes to an account that addresses are parts of, and names none of them, stands beside what comes to wallets
    sql`alter table wallet_arrival add column place text not null default 'WALLET'`,
    sql`alter table wallet_arrival add column paid_to text`,
    sql`update wallet_arrival set paid_to = address`,
    sql`alter table wallet_arrival alter column paid_to set not null`,
    sql`alter table wallet_arrival add column memo json`,
    sql`alter table wallet_arrival add constraint wallet_arrival_place_known check (place in ('WALLET', 'ACCOUNT'))`
  ]
}
