import type { Migration } from "./Migration.ts"

/** Tenants, and the head whose row lock serialises the commits of one. */
export const tenants: Migration = {
  id: 1,
  name: "tenants",
  statements: (sql) => [
    sql`create table tenant (
      tenant_id uuid not null,
      slug text not null,
      name text not null,
      kind text not null,
      status text not null,
      policy json not null,
      created_at timestamptz(3) not null,
      constraint tenant_pkey primary key (tenant_id),
      constraint tenant_slug_key unique (slug),
      constraint tenant_kind_known check (kind in ('LIVE', 'SANDBOX')),
      constraint tenant_status_known check (status in ('ONBOARDING', 'ACTIVE', 'SUSPENDED', 'CLOSED'))
    )`,
    // updated by every commit: the free space lets a new row version stay on its page, without touching an index
    sql`create table tenant_head (
      tenant_id uuid not null,
      change_seq bigint not null,
      event_id bigint not null,
      posting_seq bigint not null,
      last_at timestamptz(3) not null,
      constraint tenant_head_pkey primary key (tenant_id),
      constraint tenant_head_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint tenant_head_change_seq_counts check (change_seq >= 0),
      constraint tenant_head_event_id_counts check (event_id >= 0),
      constraint tenant_head_posting_seq_counts check (posting_seq >= 0)
    ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`
  ]
}
