import type { Migration } from "./Migration.ts"

/** What a commit leaves behind, so that whoever lost its answer can find out. Rows are dropped after some minutes. */
export const commitReceipts: Migration = {
  id: 25,
  name: "commit_receipts",
  statements: (sql) => [
    sql`create table commit_receipt (
      tenant_id uuid not null,
      batch_id uuid not null,
      at timestamptz(3) not null default now(),
      constraint commit_receipt_pkey primary key (tenant_id, batch_id)
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`
  ]
}
