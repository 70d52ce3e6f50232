import { type Operation, ofKind } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { type ReviewState, reviewOf } from "../operation/Review.ts"
import { writeMemo } from "../port/MemoText.ts"

/** Why a payout failed (spec, failure reasons). */
export type PayoutFailure =
  | "review_rejected"
  | "destination_invalid"
  | "reverted_on_chain"
  | "expired_unsent"
  | "replaced_on_chain"
  | "cancelled_by_operator"

/** What the details of a CHAIN_PAYOUT tell beside its fields. */
export interface PayoutDetails {
  readonly address: string | null
  /** As its network reads it: the same text asks for the same memo again. */
  readonly memo: string | null
  readonly fromAddress: string | null
  readonly review: ReviewState | null
  readonly failureReason: string | null
}

const memoTypes = ["text", "id", "hash", "return"] as const

const memoOf = (destination: OperationDetails<"CHAIN_PAYOUT">["destination"]): string | null => {
  const value = destination?.memo ?? null
  const type = memoTypes.find((one) => one === destination?.memo_type)
  return value === null || type === undefined ? value : writeMemo({ type, value })
}

/** Reads the details of a CHAIN_PAYOUT. */
export const payoutDetails = ({ details }: Pick<Operation, "details">): PayoutDetails => {
  const { destination, failure_reason: failureReason = null, from_address: fromAddress = null } = details
  return {
    address: destination?.address ?? null,
    memo: memoOf(destination),
    fromAddress,
    review: reviewOf({ details })?.state ?? null,
    failureReason
  }
}

/** The details of a payout with the account that the transaction pays it from that was signed last. */
export const paidFrom = (operation: Operation, from: string): OperationDetails<"CHAIN_PAYOUT"> => ({
  ...ofKind(operation, "CHAIN_PAYOUT").details,
  from_address: from
})

/** The details with the reason of a failure. */
export const failedFor = ({ details }: Pick<Operation, "details">, reason: PayoutFailure): Operation["details"] => ({
  ...details,
  failure_reason: reason
})

/** The details of a payout that a transaction is proven to have made which was not signed for it. */
export const provenBy = (
  operation: Operation,
  { by, fee, hash }: { readonly hash: string; readonly by: string; readonly fee: bigint | null }
): OperationDetails<"CHAIN_PAYOUT"> => ({
  ...ofKind(operation, "CHAIN_PAYOUT").details,
  proven_by: { tx_hash: hash, given_by: by, ...(fee !== null && { network_fee: `${fee}` }) }
})

/** The transaction that is proven to have made a payout without being signed for it; null where there is none. */
export const provenHash = ({ details }: Pick<Operation, "details">): string | null => details.proven_by?.tx_hash ?? null
