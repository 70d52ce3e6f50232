import type { Migration } from "./Migration.ts"

/** Arrivals that are not credited, because nodes of two operators do not say the same of them. */
export const heldArrivals: Migration = {
  id: 44,
  name: "held_arrivals",
  statements: (sql) => [
    sql`create table held_arrival (
      network text not null,
      tx_hash text not null,
      transfer_index bigint not null,
      block_hash text not null,
      block_number bigint not null,
      tenant_id text not null,
      address text not null,
      currency text not null,
      units numeric not null,
      state text not null,
      said json not null,
      since timestamptz(3) not null,
      accepted_by text,
      acceptance_reason text,
      outcome text,
      ended_by text,
      end_reason text,
      ended_at timestamptz(3),
      constraint held_arrival_pkey primary key (network, tx_hash, transfer_index, block_hash),
      constraint held_arrival_state_known check (state in ('waiting', 'disputed')),
      constraint held_arrival_outcome_known check (outcome in ('agreed', 'gone', 'accepted', 'refused')),
      constraint held_arrival_acceptance_whole check ((accepted_by is null) = (acceptance_reason is null)),
      constraint held_arrival_ended_whole check (num_nulls(outcome, ended_by, ended_at) in (0, 3)),
      constraint held_arrival_accepted_by_two check (outcome <> 'accepted' or (accepted_by is not null and accepted_by <> ended_by))
    )`,
    sql`create index held_arrival_open on held_arrival (network, since desc) where outcome is null`,
    sql`create index held_arrival_newest on held_arrival (since desc)`
  ]
}
