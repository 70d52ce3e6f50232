import type { Timestamp } from "../base/Timestamp.ts"
import type { reviewStates } from "./details/CommonDetails.ts"
import type { Operation } from "./Operation.ts"

export { reviewStates } from "./details/CommonDetails.ts"

/** Where the review of an operation stands. */
export type ReviewState = (typeof reviewStates)[number]

/** A review as the details of its operation keep it. */
export interface Review {
  readonly state: ReviewState
  readonly by: string | null
  readonly at: Timestamp | null
  readonly reason: string | null
}

/** The review of an operation that waits for an operator. */
export const pendingReview: Review = { state: "PENDING", by: null, at: null, reason: null }

/** The review of an operation; null where nobody was or is asked. */
export const reviewOf = ({ details }: Pick<Operation, "details">): Review | null => {
  if (details.review == null) return null
  const { at = null, by = null, reason = null, state } = details.review
  return { state, by, at, reason }
}

/** Whether an operation waits for an operator's word: then it has no job, and nothing of it is sent. */
export const awaitsReview = (operation: Pick<Operation, "details" | "status">): boolean =>
  operation.status === "IN_REVIEW" && reviewOf(operation)?.state === "PENDING"

/** Whether an operator approved an operation after a moment: what was approved before knew nothing of what happened then. */
export const approvedAfter = (operation: Pick<Operation, "details">, moment: Timestamp): boolean => {
  const review = reviewOf(operation)
  return review?.state === "APPROVED" && review.at !== null && review.at > moment
}

/** The details with a review that was decided. */
export const reviewed = (
  { details }: Pick<Operation, "details">,
  review: { readonly state: ReviewState; readonly by: string; readonly at: Timestamp; readonly reason: string | null }
): Operation["details"] => ({ ...details, review: { ...review } })

/** The details of an operation that ends while its review is pending: that is over too, whoever ended it. */
export const reviewClosed = (
  operation: Pick<Operation, "details">,
  { at, by, reason }: { readonly by: string | null; readonly at: Timestamp; readonly reason: string }
): Operation["details"] =>
  reviewOf(operation)?.state === "PENDING"
    ? { ...operation.details, review: { state: "REJECTED", by, at, reason } }
    : operation.details
