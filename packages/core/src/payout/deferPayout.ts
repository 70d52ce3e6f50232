import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { wantsReview } from "../leaving/holdForReview.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { canMove, unresolved } from "../operation/moveOperation.ts"
import { type OperationStatus, Operation } from "../operation/Operation.ts"
import { waiting } from "../operation/waits.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { payoutQueue } from "./payoutQueue.ts"
import { endReads, failPayoutOf } from "./endPayout.ts"
import { holdPayout } from "./holdPayout.ts"
import { Payout } from "./Payout.ts"
import { PayoutEvidence } from "./PayoutEvidence.ts"
import type { PayoutFailure } from "./payoutDetails.ts"
import { mayBePaid } from "./settleHeld.ts"
import { standingFor, standingReads } from "./standingEvidence.ts"

const sendable: ReadonlySet<OperationStatus> = new Set(["ACCEPTED", "PROCESSING", "SENT"])

/** Why a payout that is in no outbound transaction cannot be put into one now. */
export interface DeferPayout {
  /** As it was read. */
  readonly payout: Payout
  readonly reason: string
  readonly detail: string
  /** When to try again. */
  readonly nextAt: Timestamp
  /** From how long a wait on its outcome counts as unknown, in milliseconds. */
  readonly unresolvedAfterMs: number
  readonly currencies: CurrencyTable
}

/** A payout that is in no outbound transaction. */
const isHeld = (payout: Payout | undefined): payout is Payout => payout?.transactionId === null

/**
 * Notes why a payout waits, and puts it in its queue for later. One that has waited for too long is flagged unresolved; nothing
 * else comes of it, what it holds stays. One that people have to answer for (`wantsReview`) goes before an operator
 * (IN_REVIEW). A payout that waits for nothing any more is taken out of its queue.
 */
export const deferPayout = ({
  currencies,
  detail,
  nextAt,
  payout: read,
  reason,
  unresolvedAfterMs
}: DeferPayout): Command<Payout | null> => ({
  name: "DeferPayout",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    readGroup(PayoutEvidence, read.operationId)
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    const queue = payoutQueue(read.network)
    if (operation === undefined || !isHeld(payout) || !sendable.has(operation.status)) {
      return Result.succeed({ changes: [unschedule(queue, read.operationId)], reply: null })
    }
    const since = payout.waits?.since ?? view.now
    const after: Payout = { ...payout, waits: { reason, detail, since, tries: (payout.waits?.tries ?? 0) + 1 } }
    const told = waiting(operation, { reason, detail }, since)
    if (wantsReview({ reason }) && canMove(operation, "review_wanted")) {
      const changes = holdPayout(view, currencies, { operation, payout }, { reason, detail })
      // evidence may have come since the chain was asked: it is asked once more, which takes the payout out of its queue
      const isGiven = view.group(PayoutEvidence, payout.operationId).some(({ txHash }) => txHash !== null)
      const asks = isGiven && mayBePaid(payout) ? [schedule(queue, payout.operationId, view.now)] : []
      return Result.succeed({ changes: [...changes, ...asks], reply: after })
    }
    const flagged = view.now - since >= unresolvedAfterMs ? unresolved(view, currencies, told).changes : []
    const changes: ReadonlyArray<Change> = [
      putRecord(Payout, after),
      ...(told === operation ? [] : [putRecord(Operation, told)]),
      ...flagged,
      schedule(queue, payout.operationId, nextAt)
    ]
    return Result.succeed({ changes, reply: after })
  }
})

/** A payout of which it is certain, before anything was signed, that it cannot be made. */
export interface FailPayout {
  /** As it was read. */
  readonly payout: Payout
  readonly reason: PayoutFailure
  /** The transactions that were given as evidence for it, as they were read (`hashesGiven`); none where absent. */
  readonly given?: ReadonlyArray<string>
  readonly currencies: CurrencyTable
}

/** Fails a payout that is in no outbound transaction, and gives back what it held. One that has moved on in the meantime, or that evidence speaks for, is left alone. */
export const failPayout = ({ currencies, given = [], payout: read, reason }: FailPayout): Command<Payout | null> => ({
  name: "FailPayout",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    ...endReads(read),
    ...standingReads(read.network, read.operationId, given)
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (operation === undefined || !isHeld(payout) || isOver(operation.status)) {
      return Result.succeed({ changes: [], reply: null })
    }
    if (standingFor(view, payout, given) !== undefined) return Result.succeed({ changes: [], reply: null })
    const changes = failPayoutOf(view, currencies, { operation, payout }, reason)
    return Result.succeed({ changes: [...changes, ...countUsage(view, [operation], -1n)], reply: payout })
  }
})
