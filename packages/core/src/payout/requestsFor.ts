import type { Operation } from "../operation/Operation.ts"
import { reviewOf } from "../operation/Review.ts"
import type { SigningRequest } from "../port/TransactionSigner.ts"
import { evidenceOf } from "../signature/SignatureEvidence.ts"

/** What the tenant has signed to ask for some payments, and when an operator approved it, where one did. */
export const requestsFor = (operations: ReadonlyArray<Operation>): ReadonlyArray<SigningRequest> =>
  operations.flatMap((operation) => {
    const [evidence, review] = [evidenceOf(operation), reviewOf(operation)]
    if (evidence === undefined) return []
    return review?.state === "APPROVED" && review.at !== null ? { ...evidence, approvedAt: review.at } : evidence
  })
