import type { Migration } from "./Migration.ts"

/** Webhook endpoints and the state of their deliveries. */
export const webhooks: Migration = {
  id: 9,
  name: "webhooks",
  statements: (sql) => [
    sql`create table webhook_endpoint (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      url text not null,
      kinds json,
      secret text not null,
      next_secret text,
      enabled boolean not null,
      disabled_reason text,
      created_at timestamptz(3) not null,
      constraint webhook_endpoint_pkey primary key (tenant_id, endpoint_id),
      constraint webhook_endpoint_tenant_fkey foreign key (tenant_id) references tenant (tenant_id)
    )`,
    sql`create table webhook_state (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      cursor bigint not null,
      lease_token uuid,
      lease_until timestamptz(3),
      failing_since timestamptz(3),
      constraint webhook_state_pkey primary key (tenant_id, endpoint_id),
      constraint webhook_state_endpoint_fkey foreign key (tenant_id, endpoint_id)
        references webhook_endpoint (tenant_id, endpoint_id),
      constraint webhook_state_cursor_counts check (cursor >= 0),
      constraint webhook_state_lease_whole check (num_nulls(lease_token, lease_until) in (0, 2))
    ) with (fillfactor = 50)`,
    sql`create table webhook_delivery (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      event_id bigint not null,
      due_at timestamptz(3) not null,
      attempt integer not null,
      constraint webhook_delivery_pkey primary key (tenant_id, endpoint_id, event_id),
      constraint webhook_delivery_endpoint_fkey foreign key (tenant_id, endpoint_id)
        references webhook_endpoint (tenant_id, endpoint_id),
      constraint webhook_delivery_attempt_counts check (attempt >= 1)
    )`,
    sql`create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, due_at, event_id)`,
    sql`create table webhook_attempt (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      seq bigint generated always as identity,
      event_id bigint not null,
      attempt integer not null,
      at timestamptz(3) not null,
      status integer,
      problem text,
      duration_ms bigint not null,
      response_start text not null,
      constraint webhook_attempt_pkey primary key (tenant_id, endpoint_id, seq),
      constraint webhook_attempt_endpoint_fkey foreign key (tenant_id, endpoint_id)
        references webhook_endpoint (tenant_id, endpoint_id),
      constraint webhook_attempt_counts check (attempt >= 1)
    )`
  ]
}
