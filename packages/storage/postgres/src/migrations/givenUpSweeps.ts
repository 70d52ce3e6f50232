import type { Migration } from "./Migration.ts"

/** How many attempts of a transaction move what was given up since. */
export const givenUpSweeps: Migration = {
  id: 52,
  name: "given up sweeps",
  statements: (sql) => [
    sql`alter table outbound_transaction add column given_up_after bigint,
      add constraint outbound_transaction_given_up_after check (given_up_after is null or (given_up_after > 0 and purpose = 'SWEEP'))`
  ]
}
