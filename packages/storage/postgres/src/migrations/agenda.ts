import type { Migration } from "./Migration.ts"

/** What the processes of the worker have to do, and what was used of rolling limits. */
export const agenda: Migration = {
  id: 14,
  name: "agenda",
  statements: (sql) => [
    sql`create table agenda (
      tenant_id uuid not null,
      topic text not null,
      key text not null,
      due_at timestamptz(3) not null,
      constraint agenda_pkey primary key (tenant_id, topic, key)
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    sql`create index agenda_due on agenda (topic, due_at)`,
    sql`create table limit_usage (
      tenant_id uuid not null,
      scope text not null,
      record_group text,
      buckets json not null,
      constraint limit_usage_pkey primary key (tenant_id, scope)
    )`
  ]
}
