import type { Migration } from "./Migration.ts"

/** How each node of a network did lately, as its watcher tells. */
export const nodeRecords: Migration = {
  id: 65,
  name: "node_records",
  statements: (sql) => [sql`alter table network_status add column nodes json not null default '[]'`]
}
