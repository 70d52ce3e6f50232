import type { Migration } from "./Migration.ts"

/** When an alarm over a break was told to whoever is called by a webhook. */
export const toldBreaks: Migration = {
  id: 54,
  name: "told_breaks",
  statements: (sql) => [
    sql`alter table reconciliation_break add column told_at timestamptz(3),
      add constraint reconciliation_break_told_alarmed check (told_at is null or alarmed_at is not null)`
  ]
}
