import { backoffMs, schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Operation } from "../operation/Operation.ts"
import { watchAgain } from "../operation/resolved.ts"
import { transferQueue } from "./Transfer.ts"
import { isFinished } from "./transferState.ts"

const askAtLeastMs = 1_000
const askAtMostMs = 15 * 60_000
const watchAtLeastMs = 5_000
const dayMs = 24 * 60 * 60_000
const watchAtMostMs = 3 * dayMs

/** How long after its settlement a transfer may come back and is still asked about. Banks give a payer up to two months. */
export const returnWatchMs = 90 * dayMs

/** When the order of a transfer was sent, as its record says; null before that. */
export const transferSentAt = ({ details }: Operation): Timestamp | null => details.sent_at ?? null

/**
 * When the provider is asked about a transfer again: often while it is young, ever more seldom later. One that settled, or came
 * back in part, is watched for a return; one that its provider says has failed, for another word of it. Hints of the provider hasten it.
 */
export const askAgain = (operation: Operation, now: Timestamp): Change => {
  const { createdAt, id, settledAt, status } = operation
  if (isFinished(operation)) return watchAgain(transferQueue, operation, now)
  if (status !== "SETTLED" && status !== "RETURNED") {
    const age = now - (transferSentAt(operation) ?? createdAt)
    return schedule(transferQueue, id, now + backoffMs(age, askAtLeastMs, askAtMostMs))
  }
  const age = now - (settledAt ?? createdAt)
  return age >= returnWatchMs && !operation.unresolved
    ? unschedule(transferQueue, id)
    : schedule(transferQueue, id, now + backoffMs(age, watchAtLeastMs, watchAtMostMs))
}
