import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/** A job to read the past that fails is put off, and says why: it does not keep the place of those that can be read. */
export const backfillTurns: Migration = {
  id: 81,
  name: "backfill_turns",
  statements: (sql) => [
    sql`alter table backfill add column due_at timestamptz(3),
      add column failures bigint not null default 0,
      add column problem text,
      add constraint backfill_failures_not_negative check (failures >= 0)`,
    guardValues(sql)
  ]
}
