import type { Migration } from "./Migration.ts"

/** A proposed adjustment can assign what an operation left in suspense. None from before names any. */
export const assignedArrivals: Migration = {
  id: 76,
  name: "assigned_arrivals",
  statements: (sql) => [sql`alter table float_adjustment add column assigns uuid`]
}
