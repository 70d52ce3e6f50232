import { Result } from "effect"
import { unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { holdBack } from "../leaving/holdForReview.ts"
import { type Judgement, leaveReads, mayNotLeave } from "../leaving/mayLeave.ts"
import { Operation, type OperationStatus } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { reserveFor } from "../operation/reserveAssets.ts"
import { isWatched } from "../operation/resolved.ts"
import { goingOn, type Objection, providerMissing } from "../operation/waits.ts"
import type { Reached } from "../environment/reach.ts"
import { type PayerSeen, paidElsewhere, paidElsewhereThanTold, sourceReads, takenBack } from "./refund.ts"
import { transferQueue } from "./Transfer.ts"
import { askAgain, transferSentAt } from "./transferQueue.ts"
import { isFinished } from "./transferState.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** Whether an order may go out now, for the first and only time, or the provider is to be asked what became of it. */
export type TransferTask =
  | { readonly _tag: "Send"; readonly operation: Operation }
  | { readonly _tag: "Ask"; readonly operation: Operation }
  /** It may not go out as things stand: it says why, and is looked at again, or goes before an operator. */
  | { readonly _tag: "Wait"; readonly objection: Objection }
  | { readonly _tag: "Nothing" }

/** What is known beside the rows of a transfer; of a refund also whose money it pays back, as its provider says in each of its answers. */
export interface TransferJudgement extends Judgement {
  readonly payer?: ReadonlyArray<PayerSeen> | undefined
}

const unsent: ReadonlySet<OperationStatus> = new Set(["ACCEPTED", "AWAITING_FUNDS", "IN_REVIEW"])

/** Whether nothing is to be asked or sent any more. What settled may come back from where it was sent; what was never sent may not. */
const isDone = (operation: Operation): boolean =>
  isFinished(operation) || (isOver(operation.status) && transferSentAt(operation) === null)

/**
 * Records the intent to send a transfer's order to the provider, and when, before it is sent. Whoever finds the intent
 * recorded asks instead of sending: an order goes out once, whatever crashes in between. Where the transfer stands is for
 * the provider to tell: its status stays. What may not leave any more (`mayNotLeave`) is not sent, and waits, as does what is
 * for a provider that is not configured (`provider` is undefined). `read` is the operation as it was read: it says what the command has to know of.
 */
export const beginTransfer = (
  read: Operation,
  provider: Reached | undefined,
  judgement: TransferJudgement = {}
): Command<TransferTask> => ({
  name: "BeginTransfer",
  reads: [readRecord(Operation, read.id), ...sourceReads(read), ...leaveReads(read)],
  decide: (view) => {
    const operation = view.get(Operation, read.id)
    if (operation !== undefined && isFinished(operation) && isWatched(operation, view.now))
      return Result.succeed({ changes: [], reply: { _tag: "Ask", operation } })
    if (operation === undefined || isDone(operation))
      return Result.succeed({ changes: [unschedule(transferQueue, read.id)], reply: { _tag: "Nothing" } })
    if (transferSentAt(operation) !== null || !unsent.has(operation.status))
      return Result.succeed({ changes: [askAgain(operation, view.now)], reply: { _tag: "Ask", operation } })
    const objection =
      provider === undefined
        ? providerMissing(operation)
        : (mayNotLeave(view, operation, provider, judgement) ??
          takenBack(view, operation) ??
          paidElsewhere(view, operation) ??
          paidElsewhereThanTold(view, operation, judgement.payer))
    if (objection !== undefined)
      return Result.succeed({
        changes: holdBack(view, operation, objection, transferQueue),
        reply: { _tag: "Wait", objection }
      })
    const ready = goingOn(operation)
    const begun: Operation = { ...ready, details: { ...ready.details, sent_at: view.now } }
    return Result.succeed({
      changes: [putRecord(Operation, begun), ...reserveFor(view, begun), askAgain(begun, view.now)],
      reply: { _tag: "Send", operation: begun }
    })
  }
})
