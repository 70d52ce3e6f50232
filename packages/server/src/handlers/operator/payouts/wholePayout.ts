import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import type { WholePayout } from "./toWire.ts"
import { Payout } from "@bursar/core/payout/Payout"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"

/** All that is stored of a payout. */
export const wholePayout = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  operation: Operation
): Effect.fn.Return<WholePayout, ApiError> {
  const { id, tenantId } = operation
  const payout = yield* orUnavailable(queries.record(tenantId, Payout, id))
  const evidence = yield* orUnavailable(queries.records(tenantId, PayoutEvidence, id))
  const ids =
    payout === undefined
      ? []
      : [...payout.earlierTransactions, ...(payout.transactionId === null ? [] : [payout.transactionId])]
  const transactions = yield* Effect.forEach(ids, (transactionId) => signedFor(queries, tenantId, transactionId))
  const transaction = transactions.find((one) => one.transaction?.id === payout?.transactionId)?.transaction
  return { operation, payout, transaction, signed: transactions.flatMap(({ signed }) => signed), evidence }
})

/** An outbound transaction with what was signed for it, in order. */
const signedFor = Effect.fnUntraced(function* (queries: Queries["Service"], tenantId: TenantId, transactionId: string) {
  const transaction = yield* orUnavailable(queries.record(tenantId, OutboundTransaction, transactionId))
  if (transaction === undefined) return { transaction, signed: [] }
  const all = yield* orUnavailable(queries.records(tenantId, TransactionAttempt, transactionId))
  const byHash = new Map(all.map((attempt) => [attempt.hash, attempt]))
  const signed = transaction.hashes.flatMap((hash): WholePayout["signed"] => {
    const attempt = byHash.get(hash)
    return attempt === undefined ? [] : [{ transaction, attempt }]
  })
  return { transaction, signed }
})

/** The payout of an id, or `not_found`. */
export const findPayout = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  tenantId: TenantId,
  id: string
): Effect.fn.Return<WholePayout, ApiError> {
  const operation = yield* orUnavailable(queries.operation(tenantId, id))
  if (operation?.kind !== "CHAIN_PAYOUT") return yield* apiError("not_found")
  return yield* wholePayout(queries, operation)
})
