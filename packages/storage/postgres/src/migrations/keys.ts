import type { Migration } from "./Migration.ts"

/** Where addresses come from besides registration: extended public keys, seeds, imported private keys; secrets are sealed. */
export const keys: Migration = {
  id: 13,
  name: "keys",
  statements: (sql) => [
    sql`create table xpub (
      tenant_id uuid not null,
      xpub_id uuid not null,
      network text not null,
      xpub text not null,
      canonical text not null,
      index_from bigint not null,
      index_to bigint not null,
      next_index bigint not null,
      retired_at timestamptz(3),
      created_at timestamptz(3) not null,
      constraint xpub_pkey primary key (tenant_id, xpub_id),
      constraint xpub_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint xpub_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint xpub_range_ordered check (0 <= index_from and index_from <= index_to and index_to <= 2147483647),
      constraint xpub_next_in_range check (next_index between index_from and index_to + 1)
    )`,
    sql`create unique index xpub_one_live on xpub (tenant_id, network) where retired_at is null`,
    sql`create index xpub_use on xpub (tenant_id, network, canonical, next_index)`,
    sql`create table issuing_account (
      tenant_id uuid not null,
      family text not null,
      seed_id uuid not null,
      account_key text not null,
      next_index bigint not null,
      created_at timestamptz(3) not null,
      constraint issuing_account_pkey primary key (tenant_id, family),
      constraint issuing_account_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint issuing_account_family_known check (family in ('evm', 'tron', 'bitcoin', 'stellar')),
      constraint issuing_account_index_counts check (next_index between 0 and 2147483648)
    )`,
    sql`create table sealed_key (
      tenant_id uuid not null,
      key_id uuid not null,
      kind text not null,
      sealed text not null,
      created_at timestamptz(3) not null,
      constraint sealed_key_pkey primary key (tenant_id, key_id),
      constraint sealed_key_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint sealed_key_kind_known check (kind in ('SEED', 'IMPORTED', 'WRAPPING'))
    )`,
    sql`create unique index sealed_key_one_of_a_kind on sealed_key (tenant_id, kind) where kind <> 'IMPORTED'`,
    sql`create table imported_key (
      tenant_id uuid not null,
      key_id uuid not null,
      address_id uuid not null,
      network text not null,
      address text not null,
      algorithm text not null,
      source_system text,
      source_reference text,
      created_at timestamptz(3) not null,
      constraint imported_key_pkey primary key (tenant_id, key_id),
      constraint imported_key_sealed_fkey foreign key (tenant_id, key_id) references sealed_key (tenant_id, key_id),
      constraint imported_key_address_fkey foreign key (tenant_id, address_id) references address (tenant_id, address_id)
    )`,
    sql`create index imported_key_address on imported_key (tenant_id, address_id)`
  ]
}
