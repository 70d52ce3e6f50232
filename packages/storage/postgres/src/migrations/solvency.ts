import type { Migration } from "./Migration.ts"

/** Snapshots of what tenants are owed and of what is there. Nothing of one is ever changed, but that it is shown to partners. */
export const solvency: Migration = {
  id: 48,
  name: "solvency",
  statements: (sql) => [
    sql`create table solvency_snapshot (
      snapshot_id uuid not null,
      environment text not null,
      taken_at timestamptz(3) not null,
      taken_by text not null,
      document text not null,
      published_at timestamptz(3),
      published_by text,
      constraint solvency_snapshot_pkey primary key (snapshot_id),
      constraint solvency_snapshot_environment_known check (environment in ('LIVE', 'SANDBOX')),
      constraint solvency_snapshot_published_whole check ((published_at is null) = (published_by is null))
    )`,
    sql`create table solvency_leaf (
      tenant_id uuid not null,
      snapshot_id uuid not null,
      currency text not null,
      leaf_index bigint not null,
      units numeric not null,
      salt text not null,
      available numeric not null,
      held numeric not null,
      customers numeric not null,
      converting numeric not null,
      own_addresses numeric not null,
      posting bigint not null,
      constraint solvency_leaf_pkey primary key (tenant_id, snapshot_id, currency),
      constraint solvency_leaf_not_negative check (units >= 0 and leaf_index >= 0),
      constraint solvency_leaf_salt_hex check (salt ~ '^[0-9a-f]{64}$')
    )`,
    sql`create table solvency_node (
      snapshot_id uuid not null,
      currency text not null,
      level integer not null,
      node_index bigint not null,
      hash bytea not null,
      units numeric not null,
      constraint solvency_node_pkey primary key (snapshot_id, currency, level, node_index),
      constraint solvency_node_not_negative check (units >= 0 and level >= 0 and node_index >= 0),
      constraint solvency_node_hash_whole check (length(hash) = 32)
    )`,
    sql`create function solvency_is_only_added_to() returns trigger language plpgsql as $$
    begin
      raise exception 'proofs of solvency are only added to' using errcode = 'restrict_violation';
    end $$`,
    sql`create trigger solvency_leaf_kept before update or delete or truncate on solvency_leaf
      for each statement execute function solvency_is_only_added_to()`,
    sql`create trigger solvency_node_kept before update or delete or truncate on solvency_node
      for each statement execute function solvency_is_only_added_to()`,
    sql`create trigger solvency_snapshot_kept before delete or truncate on solvency_snapshot
      for each statement execute function solvency_is_only_added_to()`,
    sql`create function solvency_snapshot_is_only_published() returns trigger language plpgsql as $$
    begin
      if old.published_at is not null or new.snapshot_id <> old.snapshot_id or new.environment <> old.environment
        or new.taken_at <> old.taken_at or new.taken_by <> old.taken_by or new.document <> old.document then
        raise exception 'a snapshot is published once, and changed by nothing' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`,
    sql`create trigger solvency_snapshot_published before update on solvency_snapshot
      for each row execute function solvency_snapshot_is_only_published()`
  ]
}
