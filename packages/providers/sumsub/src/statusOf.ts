import type { VerificationStatus } from "@bursar/core/port/IdentityProvider"

/** What Sumsub says of a review. */
export interface ReviewVerdict {
  readonly reviewStatus: string
  /** GREEN or RED; only read once the review is completed. */
  readonly reviewAnswer: string | null
  /** With RED: RETRY where the person may hand in better documents, FINAL where not. */
  readonly reviewRejectType: string | null
}

/** Review statuses without a verdict. `init` and `awaitingUser` wait for the person, the others for Sumsub. */
const open: Readonly<Record<string, VerificationStatus>> = {
  init: "PENDING",
  pending: "IN_REVIEW",
  prechecked: "IN_REVIEW",
  queued: "IN_REVIEW",
  onHold: "IN_REVIEW",
  awaitingService: "IN_REVIEW",
  awaitingUser: "ACTION_REQUIRED"
}

/**
 * Our status of a review; undefined where Sumsub says something that is not known here, of which nothing may be
 * concluded. A RED that does not say whether the person may try again is a rejection.
 */
export const statusOf = ({
  reviewAnswer,
  reviewRejectType,
  reviewStatus
}: ReviewVerdict): VerificationStatus | undefined => {
  if (reviewStatus !== "completed") return Object.hasOwn(open, reviewStatus) ? open[reviewStatus] : undefined
  if (reviewAnswer === "GREEN") return "APPROVED"
  if (reviewAnswer !== "RED") return undefined
  return reviewRejectType === "RETRY" ? "ACTION_REQUIRED" : "REJECTED"
}
