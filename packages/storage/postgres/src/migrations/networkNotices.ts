import type { Migration } from "./Migration.ts"

/** What operators have to know of a network that is read well. */
export const networkNotices: Migration = {
  id: 32,
  name: "network_notices",
  statements: (sql) => [sql`alter table network_status add column notice text`]
}
