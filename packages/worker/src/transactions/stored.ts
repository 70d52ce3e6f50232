import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction, payable } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Effect } from "effect"
import type { OwnedTransaction } from "./Send.ts"

/** An outbound transaction as it is stored now. */
export const reread = Effect.fnUntraced(function* ({ transaction, tenantId }: OwnedTransaction) {
  const queries = yield* Queries
  const now = yield* queries.record(tenantId, OutboundTransaction, transaction.id)
  return now === undefined ? undefined : ({ tenantId, transaction: now } satisfies OwnedTransaction)
})

/** What was signed for an outbound transaction, in order. */
export const attemptsOf = Effect.fnUntraced(function* ({ transaction, tenantId }: OwnedTransaction) {
  const queries = yield* Queries
  const all = yield* queries.records(tenantId, TransactionAttempt, transaction.id)
  return all.toSorted((one, other) => transaction.hashes.indexOf(one.hash) - transaction.hashes.indexOf(other.hash))
})

/** Operations as they are stored now. */
export const operationsBy = Effect.fnUntraced(function* (tenantId: TenantId, ids: ReadonlyArray<string>) {
  const queries = yield* Queries
  const found = yield* Effect.forEach(ids, (id) => queries.operation(tenantId, id))
  return found.filter((operation) => operation !== undefined)
})

/** The operations that an outbound transaction is to pay, as they are stored now. */
export const operationsToPay = ({ transaction, tenantId }: OwnedTransaction) =>
  operationsBy(tenantId, payable(transaction))
