import type { Migration } from "./Migration.ts"

/** What watchers remember of each network, and who leads what. Of the fleet, not of any tenant. */
export const watching: Migration = {
  id: 10,
  name: "watching",
  statements: (sql) => [
    sql`create table lease (
      name text not null,
      epoch bigint not null,
      constraint lease_pkey primary key (name),
      constraint lease_epoch_counts check (epoch >= 1)
    )`,
    sql`create table chain_block (
      network text not null,
      number bigint not null,
      hash text not null,
      parent_hash text not null,
      time timestamptz(3) not null,
      constraint chain_block_pkey primary key (network, number)
    )`,
    sql`create table network_status (
      network text not null,
      cursor_number bigint,
      cursor_hash text,
      cursor_parent_hash text,
      cursor_time timestamptz(3),
      latest bigint,
      problem text,
      updated_at timestamptz(3) not null,
      constraint network_status_pkey primary key (network),
      constraint network_status_cursor_whole
        check (num_nulls(cursor_number, cursor_hash, cursor_parent_hash, cursor_time) in (0, 4))
    ) with (fillfactor = 50)`
  ]
}
