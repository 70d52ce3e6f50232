import type { Migration } from "./Migration.ts"

/**
 * Finds attempts by their age, so that old ones can be removed. Rows stand in the order of their time: an index of ranges of pages does, and
 * costs a commit nothing.
 */
export const attemptAge: Migration = {
  id: 60,
  name: "attempt_age",
  statements: (sql) => [
    sql`create index webhook_attempt_age on webhook_attempt using brin (at) with (pages_per_range = 32)`
  ]
}
