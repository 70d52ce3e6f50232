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
  const ids =
    payout === undefined ? [] : [...payout.earlierSpends, ...(payout.spendId === null ? [] : [payout.spendId])]
  const spends = yield* Effect.forEach(ids, (spendId) => signedFor(queries, tenantId, spendId))
  const spend = spends.find((one) => one.spend?.id === payout?.spendId)?.spend
  return { operation, payout, spend, signed: spends.flatMap(({ signed }) => signed), evidence }
})

/** A spend with what was signed for it, in order. */
const signedFor = Effect.fnUntraced(function* (queries: Queries["Service"], tenantId: TenantId, spendId: string) {
  const spend = yield* reading(queries.record(tenantId, "Spend", spendId))
  if (spend === undefined) return { spend, signed: [] }
  const all = yield* reading(queries.records(tenantId, "SentTransaction", spendId))
  const byHash = new Map(all.map((transaction) => [transaction.hash, transaction]))
  const signed = spend.hashes.flatMap((hash): WholePayout["signed"] => {
    const transaction = byHash.get(hash)
    return transaction === undefined ? [] : [{ spend, transaction }]
  })
  return { spend, signed }
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
