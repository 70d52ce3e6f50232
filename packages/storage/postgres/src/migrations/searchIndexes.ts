import type { Migration } from "./Migration.ts"

/** What operators look for: an operation by its transaction, and by its provider's reference. */
export const searchIndexes: Migration = {
  id: 50,
  name: "search indexes",
  statements: (sql) => [
    sql`create index operation_transaction on operation (tenant_id, tx_hash) where tx_hash is not null`,
    sql`create index operation_provider_reference on operation (tenant_id, provider_reference)
      where provider_reference is not null`,
    sql`create index transaction_attempt_hash on transaction_attempt (tenant_id, hash)`
  ]
}
