import { unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { sentToReview } from "../leaving/holdForReview.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { canMove, unresolved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { waiting } from "../operation/waits.ts"
import type { OpenPayout } from "./openPayouts.ts"
import { Payout, type PayoutWaits } from "./Payout.ts"
import { payoutQueue } from "./payoutQueue.ts"

/**
 * Lets a payout that is in no outbound transaction wait until an operator decides: time does not mend it. It goes before an operator
 * (IN_REVIEW); where something of it was sent before it cannot, and is flagged unresolved instead. It leaves its queue either way.
 */
export const holdPayout = (
  view: View,
  currencies: CurrencyTable,
  { operation, payout }: OpenPayout,
  { detail, reason }: Pick<PayoutWaits, "detail" | "reason">
): ReadonlyArray<Change> => {
  const why = { reason, detail }
  const since = payout.waits?.since ?? view.now
  const waits: PayoutWaits = { ...why, since, tries: (payout.waits?.tries ?? 0) + 1 }
  const held = [putRecord(Payout, { ...payout, transactionId: null, waits })]
  const out = unschedule(payoutQueue(payout.network), payout.operationId)
  if (!canMove(operation, "review_wanted")) {
    return [...held, ...unresolved(view, currencies, waiting(operation, why, since)).changes, out]
  }
  return [...held, putRecord(Operation, sentToReview(view, operation, why, since)), out]
}
