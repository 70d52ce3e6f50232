import type { Migration } from "./Migration.ts"

/** What operators look for: operations by their amount, and payouts by the address that they pay. */
export const searchedAmounts: Migration = {
  id: 61,
  name: "searched_amounts",
  statements: (sql) => [
    sql`create index operation_amount on operation (currency, units, created_at)`,
    sql`create index payout_destination on payout (paid_to, operation_id)`,
    // arrivals come in the order of their detection: what lies between two moments lies in a few blocks
    sql`create index deposit_age on deposit using brin (detected_at) with (pages_per_range = 16, autosummarize = on)`
  ]
}
