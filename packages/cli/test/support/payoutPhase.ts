import { Payout, type PayoutPhase, phaseOfPayout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect } from "effect"

/** How far the payout of an operation has come as it is stored now; undefined where there is none. */
export const payoutPhase = Effect.fnUntraced(function* (tenantId: TenantId, operationId: string) {
  const queries = yield* Queries
  const payout = yield* queries.record(tenantId, Payout, operationId)
  if (payout === undefined) return undefined
  const { transactionId } = payout
  const transaction =
    transactionId === null ? undefined : yield* queries.record(tenantId, OutboundTransaction, transactionId)
  const phase: PayoutPhase = phaseOfPayout(payout, transaction)
  return phase
})
