import type { Migration } from "./Migration.ts"

/** The books: legs that are never edited, and what they come to. */
export const ledger: Migration = {
  id: 6,
  name: "ledger",
  statements: (sql) => [
    sql`create table ledger_leg (
      tenant_id uuid not null,
      account text not null,
      currency text not null,
      version bigint not null,
      operation_id uuid not null,
      posting_seq bigint not null,
      ordinal integer not null,
      direction text not null,
      units numeric not null,
      what text not null,
      balance numeric not null,
      posted_at timestamptz(3) not null,
      constraint ledger_leg_pkey primary key (tenant_id, account, currency, version),
      constraint ledger_leg_units_positive check (units > 0 and scale(units) = 0),
      constraint ledger_leg_balance_whole check (scale(balance) = 0),
      constraint ledger_leg_version_counts check (version >= 1),
      constraint ledger_leg_posting_seq_counts check (posting_seq >= 1),
      constraint ledger_leg_ordinal_counts check (ordinal >= 0),
      constraint ledger_leg_direction_known check (direction in ('DEBIT', 'CREDIT')),
      constraint ledger_leg_what_known check (what in ('hold', 'release', 'principal', 'fee', 'network_fee', 'convert_out',
        'convert_in', 'return', 'reversal', 'sweep', 'top_up', 'adjustment')),
      constraint ledger_leg_held_not_negative check (account <> 'float:held' or balance >= 0)
    )`,
    sql`create index ledger_leg_operation on ledger_leg (tenant_id, operation_id)`,
    sql`create table balance (
      tenant_id uuid not null,
      account text not null,
      currency text not null,
      units numeric not null,
      version bigint not null,
      constraint balance_pkey primary key (tenant_id, account, currency),
      constraint balance_units_whole check (scale(units) = 0),
      constraint balance_version_counts check (version >= 1),
      constraint balance_held_not_negative check (account <> 'float:held' or units >= 0)
    ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`
  ]
}
