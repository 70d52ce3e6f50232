import type { Migration } from "./Migration.ts"

/** Deposit addresses, and the directory that gives each live one a single owner and that watchers match against. */
export const addresses: Migration = {
  id: 3,
  name: "addresses",
  statements: (sql) => [
    sql`create table address (
      tenant_id uuid not null,
      address_id uuid not null,
      network text not null,
      address text not null,
      reference text not null,
      origin text not null,
      xpub_id text,
      seed_id text,
      derivation_index bigint,
      watch_from timestamptz(3) not null,
      watch_from_block bigint,
      registered_at_block bigint,
      sweep_hold json,
      retired_at timestamptz(3),
      created_at timestamptz(3) not null,
      watch_now_until timestamptz(3),
      sibling_of uuid,
      constraint address_pkey primary key (tenant_id, address_id),
      constraint address_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint address_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint address_origin_known check (origin in ('REGISTERED', 'DERIVED', 'ISSUED', 'IMPORTED')),
      constraint address_retired_not_watched check (retired_at is null or watch_now_until is null)
    )`,
    sql`create index address_age on address (tenant_id, created_at, address_id)`,
    sql`create index address_reference on address (tenant_id, reference, created_at, address_id)`,
    sql`create index address_text on address (tenant_id, address)`,
    // for watchers, who look at one network over all tenants
    sql`create index address_earliest_watch on address (network, watch_from) where retired_at is null`,
    sql`create index address_watched_now on address (network, watch_now_until) where watch_now_until is not null`,
    sql`create table address_directory (
      address text not null,
      network text not null,
      tenant_id uuid not null,
      address_id uuid not null,
      claimed_at timestamptz(3) not null,
      constraint address_directory_pkey primary key (address, network)
    )`
  ]
}
