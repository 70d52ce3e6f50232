import { unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { pendingReview } from "../operation/Review.ts"
import { letWait, type Objection, waiting, type WaitReason, type Waits } from "../operation/waits.ts"

/** What time does not mend: people have to answer for it, or to reject it. */
const reviewReasons: ReadonlySet<string> = new Set<WaitReason>([
  "signing_key_revoked",
  "review_not_granted",
  "quote_overtaken"
])

/** Whether what may not leave goes before an operator, in place of being looked at again. */
export const wantsReview = ({ reason }: { readonly reason: string }): boolean => reviewReasons.has(reason)

/** An operation that goes before an operator (IN_REVIEW), and says why. */
export const sentToReview = (
  view: View,
  operation: Operation,
  why: Pick<Waits, "detail" | "reason">,
  since = view.now
): Operation => {
  const details = { ...operation.details, review: { ...pendingReview, reason: why.detail } }
  return waiting(moved(view, operation, "review_wanted", { details }), why, since)
}

/** Lets an operation that a provider is to carry out wait: for an operator where time does not mend what is wrong, else for that to be over. */
export const holdBack = (
  view: View,
  operation: Operation,
  objection: Objection,
  queue: string
): ReadonlyArray<Change> =>
  wantsReview(objection) && canMove(operation, "review_wanted")
    ? [putRecord(Operation, sentToReview(view, operation, objection)), unschedule(queue, operation.id)]
    : letWait(operation, objection, queue, view.now)
