import type { Migration } from "./Migration.ts"

/** How much was credited by the word of one node, and arrivals at wallets by their transactions. */
export const oneNode: Migration = {
  id: 47,
  name: "one_node",
  statements: (sql) => [
    sql`create table one_node_credit (
      network text not null,
      currency text not null,
      minute timestamptz(3) not null,
      units numeric not null,
      constraint one_node_credit_pkey primary key (network, currency, minute),
      constraint one_node_credit_units_positive check (units > 0 and scale(units) = 0)
    )`,
    sql`create index wallet_transfer_transaction on wallet_transfer (network, tx_hash)`
  ]
}
