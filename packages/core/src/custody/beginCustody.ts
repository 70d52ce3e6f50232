import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { holdBack } from "../leaving/holdForReview.ts"
import { type Judgement, leaveReads, mayNotLeave } from "../leaving/mayLeave.ts"
import { moved } from "../operation/moveOperation.ts"
import { Operation, ofKind } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { reserveFor } from "../operation/reserveAssets.ts"
import { isWatched } from "../operation/resolved.ts"
import { type Objection, providerMissing } from "../operation/waits.ts"
import type { Reached } from "../environment/reach.ts"
import { wouldBring } from "../leaving/quoteOvertaken.ts"
import { askAgainAt, custodianQueue } from "./CustodyStep.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** Whether an order may go out now, for the first and only time, or the custodian is to be asked what became of it. */
export type CustodyTask =
  | { readonly _tag: "Send"; readonly operation: Operation }
  | { readonly _tag: "Ask"; readonly operation: Operation }
  /** It may not go out as things stand: it says why, and is looked at again, or goes before an operator. */
  | { readonly _tag: "Wait"; readonly objection: Objection }
  | { readonly _tag: "Nothing" }

/** A custodian is ordered nothing else: what a row says to be of another kind would leave by the rules of no kind, or by those of another. */
const isOrder = ({ kind }: Operation): boolean => kind === "WITHDRAWAL" || kind === "SWAP"

const noOrder = ({ kind }: Operation): Objection => ({
  reason: "not_granted",
  detail: `A ${kind} is no order of a custodian: somebody else has written it.`
})

/** Keeps that people were asked about a swap's quote, and what they were told that it would bring (`brings`): what they say then answers for that. */
const asked = (operation: Operation, { reason }: Objection, brings: OperationDetails<"SWAP">): Operation => {
  if (reason !== "quote_overtaken") return operation
  const { would_bring: _, ...details } = ofKind(operation, "SWAP").details
  return { ...operation, details: { ...details, ...brings, quote_overtaken: true } }
}

/**
 * Records the intent to send an operation's order to the custodian, before it is sent. Whoever finds the intent recorded
 * asks instead of sending: an order goes out once, whatever crashes in between. What may not leave any more (`mayNotLeave`) is
 * not sent, and waits, as does what is for a custodian that is not configured (`custodian` is undefined). `read` is the operation as
 * it was read: it says what the command has to know of.
 */
export const beginCustody = (
  read: Operation,
  custodian: Reached | undefined,
  judgement: Judgement = {}
): Command<CustodyTask> => ({
  name: "BeginCustody",
  reads: [readRecord(Operation, read.id), ...leaveReads(read)],
  decide: (view) => {
    const operationId = read.id
    const operation = view.get(Operation, operationId)
    if (operation !== undefined && isOver(operation.status) && isWatched(operation, view.now))
      return Result.succeed({ changes: [], reply: { _tag: "Ask", operation } })
    if (operation === undefined || isOver(operation.status))
      return Result.succeed({ changes: [unschedule(custodianQueue, operationId)], reply: { _tag: "Nothing" } })
    if (operation.status !== "ACCEPTED" && operation.status !== "IN_REVIEW")
      return Result.succeed({ changes: [], reply: { _tag: "Ask", operation } })
    const objection = !isOrder(operation)
      ? noOrder(operation)
      : custodian === undefined
        ? providerMissing(operation)
        : mayNotLeave(view, operation, custodian, judgement)
    if (objection !== undefined) {
      const brings = wouldBring(operation, judgement.market, view.now)
      return Result.succeed({
        changes: holdBack(view, asked(operation, objection, brings), objection, custodianQueue),
        reply: { _tag: "Wait", objection }
      })
    }
    const started = moved(view, operation, "started", {
      details: { ...operation.details, sent_at: view.now, asked: 0 }
    })
    return Result.succeed({
      changes: [
        putRecord(Operation, started),
        ...reserveFor(view, started),
        schedule(custodianQueue, operationId, askAgainAt(view.now, 3))
      ],
      reply: { _tag: "Send", operation: started }
    })
  }
})

/** When the order of an operation was sent, as its record says. */
export const sentAtOf = ({ createdAt, details }: Operation): number => details.sent_at ?? createdAt

/** How often the custodian was asked about an operation. */
export const askedOf = ({ details }: Operation): number => details.asked ?? 0
