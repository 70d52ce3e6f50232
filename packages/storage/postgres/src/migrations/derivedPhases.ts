import type { Migration } from "./Migration.ts"

/** A payout is where its outbound transaction is, and HELD without one: its phase is not kept beside it any more. */
export const derivedPhases: Migration = {
  id: 40,
  name: "derived_phases",
  statements: (sql) => [sql`alter table payout drop column phase`]
}
