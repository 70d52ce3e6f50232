import type { Migration } from "./Migration.ts"

/** What the provider had said last when a resolution was proposed. Of those that wait now nothing is known, and they are proposed anew. */
export const resolutionWords: Migration = {
  id: 69,
  name: "resolution_words",
  statements: (sql) => [sql`alter table resolution add column said text`]
}
