import type { Migration } from "./Migration.ts"

/** What watchers could not read, and what operators told them to do with blocks. */
export const quarantine: Migration = {
  id: 28,
  name: "quarantine",
  statements: (sql) => [
    // tx_hash is empty where the whole block was passed, so that it can be a part of the key
    sql`create table quarantine (
      network text not null,
      block_hash text not null,
      tx_hash text not null,
      block_number bigint not null,
      block_time timestamptz(3) not null,
      reason text not null,
      gains json,
      noticed_at timestamptz(3) not null,
      outcome text,
      ended_by text,
      end_reason text,
      ended_at timestamptz(3),
      constraint quarantine_pkey primary key (network, block_hash, tx_hash),
      constraint quarantine_outcome_known check (outcome in ('read', 'passed', 'gone')),
      constraint quarantine_ended_whole check (num_nulls(outcome, ended_by, ended_at) in (0, 3))
    )`,
    sql`create index quarantine_open on quarantine (network, block_number) where outcome is null`,
    sql`create index quarantine_newest on quarantine (noticed_at desc)`,
    sql`create table block_order (
      network text not null,
      number bigint not null,
      kind text not null,
      ordered_by text not null,
      reason text,
      ordered_at timestamptz(3) not null,
      constraint block_order_pkey primary key (network, number),
      constraint block_order_kind_known check (kind in ('PASS', 'REREAD'))
    )`
  ]
}
