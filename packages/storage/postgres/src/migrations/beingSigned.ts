import type { Migration } from "./Migration.ts"

/** Until when the signer may sign a first attempt that it was asked for. */
export const beingSigned: Migration = {
  id: 56,
  name: "being_signed",
  statements: (sql) => [sql`alter table outbound_transaction add column signing_until timestamptz(3)`]
}
