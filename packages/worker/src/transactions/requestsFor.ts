import type { Operation } from "@bursar/core/operation/Operation"
import { reviewOf } from "@bursar/core/operation/Review"
import type { SigningRequest } from "@bursar/core/port/TransactionSigner"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"

/** What the tenant has signed to ask for some payments, and when an operator approved it, where one did. */
export const requestsFor = (operations: ReadonlyArray<Operation>): ReadonlyArray<SigningRequest> =>
  operations.flatMap((operation) => {
    const [evidence, review] = [evidenceOf(operation), reviewOf(operation)]
    if (evidence === undefined) return []
    return review?.state === "APPROVED" && review.at !== null ? { ...evidence, approvedAt: review.at } : evidence
  })
