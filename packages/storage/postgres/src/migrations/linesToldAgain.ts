import type { Migration } from "./Migration.ts"

/** A line can come with several statements, and counts once one of them is whole. Of lines from before it is known which brought them first. */
export const linesToldAgain: Migration = {
  id: 75,
  name: "lines_told_again",
  statements: (sql) => [sql`alter table statement_line add column also_in json not null default '[]'`]
}
