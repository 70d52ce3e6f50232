import type { Migration } from "./Migration.ts"

/** Jobs to read the past of a network, with how far they have come. */
export const backfills: Migration = {
  id: 8,
  name: "backfills",
  statements: (sql) => [
    sql`create table backfill (
      tenant_id uuid not null,
      backfill_id uuid not null,
      network text not null,
      addresses json not null,
      from_block bigint,
      from_time timestamptz(3) not null,
      created_at timestamptz(3) not null,
      next_block bigint,
      last_block bigint,
      constraint backfill_pkey primary key (tenant_id, backfill_id),
      constraint backfill_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint backfill_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint backfill_started_whole check (num_nulls(next_block, last_block) in (0, 2))
    )`,
    // for watchers, who look at one network over all tenants
    sql`create index backfill_unfinished on backfill (network, created_at, backfill_id)
      where next_block is null or next_block <= last_block`
  ]
}
