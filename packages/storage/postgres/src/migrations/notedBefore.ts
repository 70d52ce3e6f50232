import type { Migration } from "./Migration.ts"

/** What was said against an operation before a resolution was proposed. Of those that wait now nothing is known: where anything was said, they are proposed anew. */
export const notedBefore: Migration = {
  id: 95,
  name: "noted_before",
  statements: (sql) => [sql`alter table resolution add column noted json not null default '[]'`]
}
