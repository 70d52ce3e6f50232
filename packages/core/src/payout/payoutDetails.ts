import type { Json } from "../base/Json.ts"
import type { Operation } from "../operation/Operation.ts"
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

const field = (value: Json | undefined, name: string): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? ((value as { [key: string]: Json })[name] ?? null)
    : null

const text = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)

const memoTypes = ["text", "id", "hash", "return"] as const

const memoOf = (destination: Json | undefined): string | null => {
  const value = text(field(destination, "memo"))
  const named = text(field(destination, "memo_type"))
  const type = memoTypes.find((one) => one === named)
  return value === null || type === undefined ? value : writeMemo({ type, value })
}

/** Reads the details of a CHAIN_PAYOUT. */
export const payoutDetails = ({ details }: Pick<Operation, "details">): PayoutDetails => {
  return {
    address: text(field(details["destination"], "address")),
    memo: memoOf(details["destination"]),
    fromAddress: text(details["from_address"]),
    review: reviewOf({ details })?.state ?? null,
    failureReason: text(details["failure_reason"])
  }
}

/** The details with the reason of a failure. */
export const failedFor = ({ details }: Pick<Operation, "details">, reason: PayoutFailure): Operation["details"] => ({
  ...details,
  failure_reason: reason
})

/** The details of a payout that a transaction is proven to have made which was not signed for it. */
export const provenBy = (
  { details }: Pick<Operation, "details">,
  { by, hash }: { readonly hash: string; readonly by: string }
): Operation["details"] => ({ ...details, proven_by: { tx_hash: hash, given_by: by } })

/** The transaction that is proven to have made a payout without being signed for it; null where there is none. */
export const provenHash = ({ details }: Pick<Operation, "details">): string | null =>
  text(field(details["proven_by"], "tx_hash"))
