import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/** What statements have told of entries by their parts. Of lines from before it is not known what they are parts of. */
export const splitEntries: Migration = {
  id: 88,
  name: "split_entries",
  statements: (sql) => [
    sql`create table split_entry (
      tenant_id uuid not null,
      split_key text not null,
      record_group text not null,
      place text not null,
      entry_id text not null,
      statement_id text not null,
      entry_at timestamptz(3) not null,
      currency text not null,
      units numeric not null,
      told numeric not null,
      constraint split_entry_pkey primary key (tenant_id, split_key)
    )`,
    sql`create index split_entry_group on split_entry (tenant_id, record_group)`,
    guardValues(sql)
  ]
}
