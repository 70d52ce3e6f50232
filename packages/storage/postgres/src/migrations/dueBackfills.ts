import type { Migration } from "./Migration.ts"

/** A watcher finds the jobs of its network that are due, however many are put off. */
export const dueBackfills: Migration = {
  id: 83,
  name: "due_backfills",
  statements: (sql) => [
    sql`create index backfill_due on backfill (network, coalesce(due_at, created_at))
      where (next_block is null or next_block <= last_block) and ended_at is null`
  ]
}
