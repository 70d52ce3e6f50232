import type { Migration } from "./Migration.ts"

/** What operators look through, newest first: customers, sweeps, open transactions of a wallet, deposits that left the chain. */
export const operatorLists: Migration = {
  id: 58,
  name: "operator_lists",
  statements: (sql) => [
    sql`create index customer_created on customer (tenant_id, created_at, customer_id)`,
    sql`create index sweep_created on sweep (tenant_id, created_at, sweep_id)`,
    sql`create index outbound_transaction_open_of_wallet on outbound_transaction (tenant_id, wallet_id, reserved_at)
      where ended_at is null`,
    sql`create index deposit_reorged on deposit (tenant_id, reorged_at) where reorged_at is not null`
  ]
}
