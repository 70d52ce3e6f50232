import type { OperationKind } from "../operation/OperationKind.ts"
import type { TenantPolicy } from "../tenant/Tenant.ts"
import { centsOf } from "../tenant/usd.ts"

/** Which threshold of a policy counts for a kind; none where nothing of the kind is reviewed by its worth. */
const thresholds: Readonly<Record<OperationKind, "payoutReviewUsd" | "withdrawalReviewUsd" | null>> = {
  CHAIN_PAYOUT: "payoutReviewUsd",
  OFF_RAMP: "payoutReviewUsd",
  BANK_TRANSFER: "payoutReviewUsd",
  REFUND: "payoutReviewUsd",
  WITHDRAWAL: "withdrawalReviewUsd",
  DEPOSIT: null,
  SWAP: null,
  ON_RAMP: null,
  INTERNAL_TRANSFER: null,
  REVERSAL: null,
  ADJUSTMENT: null
}

/** From how many US cents on people have to approve an operation of a kind; null where they never have to. */
export const reviewFromOf = (policy: TenantPolicy, kind: OperationKind): bigint | null => {
  const threshold = thresholds[kind]
  const usd = threshold === null ? null : policy[threshold]
  return usd === null ? null : centsOf(usd)
}

/** Whether what is worth so many US cents takes a review. Those who accept an operation ask here, and so do those who send it. */
export const takesReview = (reviewFrom: bigint | null, cents: bigint): boolean =>
  reviewFrom !== null && cents >= reviewFrom
