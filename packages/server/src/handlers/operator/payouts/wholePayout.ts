import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { reading } from "../../../refusals.ts"
import type { WholePayout } from "./toWire.ts"

/** All that is stored of a payout. */
export const wholePayout = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  operation: Operation
): Effect.fn.Return<WholePayout, ApiError> {
  const { id, tenantId } = operation
  const payout = yield* reading(queries.record(tenantId, "Payout", id))
  const evidence = yield* reading(queries.records(tenantId, "PayoutEvidence", id))
  const spendId = payout?.spendId ?? null
  if (spendId === null) return { operation, payout, spend: undefined, transactions: [], evidence }
  const spend = yield* reading(queries.record(tenantId, "Spend", spendId))
  const transactions = yield* reading(queries.records(tenantId, "SentTransaction", spendId))
  // in the order in which they were signed
  const inOrder = transactions.toSorted((one, other) => one.signedAt - other.signedAt)
  return { operation, payout, spend, transactions: inOrder, evidence }
})

/** The payout of an id, or `not_found`. */
export const findPayout = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  tenantId: TenantId,
  id: string
): Effect.fn.Return<WholePayout, ApiError> {
  const operation = yield* reading(queries.operation(tenantId, id))
  if (operation?.kind !== "CHAIN_PAYOUT") return yield* apiError("not_found")
  return yield* wholePayout(queries, operation)
})
