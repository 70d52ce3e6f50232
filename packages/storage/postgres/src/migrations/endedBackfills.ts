import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/** An operator may end a job to read the past that no node can serve; by whom and why it was ended is kept with it. */
export const endedBackfills: Migration = {
  id: 82,
  name: "ended_backfills",
  statements: (sql) => [
    sql`alter table backfill add column ended_by text,
      add column end_reason text,
      add column ended_at timestamptz(3),
      add constraint backfill_ended_whole check (num_nulls(ended_by, end_reason, ended_at) in (0, 3))`,
    // for operators, who look at one network over all tenants
    sql`create index backfill_ended on backfill (network, ended_at) where ended_at is not null`,
    guardValues(sql)
  ]
}
