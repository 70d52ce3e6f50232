import type { Migration } from "./Migration.ts"

/**
 * The feed, and the claims of idempotency keys. Bodies are `json`, not `jsonb`: they are given back as they were
 * stored.
 */
export const events: Migration = {
  id: 7,
  name: "events",
  statements: (sql) => [
    sql`create table event (
      tenant_id uuid not null,
      event_id bigint not null,
      kind text not null,
      resource_id uuid not null,
      occurred_at timestamptz(3) not null,
      data json not null,
      constraint event_pkey primary key (tenant_id, event_id),
      constraint event_id_counts check (event_id >= 1)
    )`,
    sql`create table claim (
      tenant_id uuid not null,
      key text not null,
      endpoint text not null,
      fingerprint text not null,
      outcome json not null,
      resource_id text,
      claimed_at timestamptz(3) not null,
      constraint claim_pkey primary key (tenant_id, key)
    )`
  ]
}
