import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { putTransaction, transactionReads } from "../transaction/moveTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { OutboundTransaction, type ExpediteAction } from "../transaction/OutboundTransaction.ts"
import { Payout } from "./Payout.ts"
import { payoutQueue } from "./payoutQueue.ts"
import { payoutRule } from "./payoutRule.ts"

/** What an operator asks of a payout that cannot go on. */
export interface ExpeditePayout {
  /** As it was read. */
  readonly payout: Payout
  /** The outbound transaction that it names, as it was read; undefined where it names none. */
  readonly transaction: OutboundTransaction | undefined
  readonly request: ExpediteAction
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/**
 * Asks that a payout goes on now. `REBROADCAST`: what was signed is given to a node again, byte for byte; of which nothing was signed,
 * that is tried at once instead of later. `BUMP`: a transaction with a higher fee takes its place under the same replay guard. Nothing is decided by it.
 * Refused: `not_found`; a payout that is over, in review or in a block, or, to be outbid, of which nothing was signed or whose
 * network knows no replacing (`state_conflict`); `stale` where it has moved on since it was read.
 */
export const expeditePayout = ({
  payout: read,
  transaction: readTransaction,
  request
}: ExpeditePayout): Command<Operation> => ({
  name: "ExpeditePayout",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    ...(readTransaction === undefined ? [] : transactionReads(payoutRule, readTransaction))
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (payout === undefined || operation === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such payout." }))
    if (isOver(operation.status) || operation.status === "IN_REVIEW")
      return conflict(`The payout is ${operation.status}.`)
    if (payout.transactionId !== (readTransaction?.id ?? null))
      return Result.fail(new Refusal({ code: "stale", message: "The state of the payout has changed." }))
    const transaction = readTransaction === undefined ? undefined : view.get(OutboundTransaction, readTransaction.id)
    const unsigned = transaction === undefined || transaction.phase === "RESERVED"
    if (request === "BUMP" && unsigned)
      return conflict("Nothing was signed for the payout yet: there is nothing to outbid.")
    if (transaction === undefined) {
      const now = schedule(payoutQueue(payout.network), payout.operationId, view.now)
      return Result.succeed({ changes: [now], reply: operation })
    }
    if (transaction.phase === "INCLUDED" || transaction.phase === "FINAL") return conflict("The payout is in a block.")
    if (request === "BUMP" && transaction.guard._tag === "Expiry")
      return conflict(
        `On ${transaction.network} nothing takes the place of a transaction: it is included or it expires.`
      )
    const now = schedule(transactionQueue(transaction.network), transaction.id, view.now)
    const asked = unsigned ? null : request
    return Result.succeed({
      changes: [...putTransaction(view, payoutRule, { before: transaction, after: { ...transaction, asked } }), now],
      reply: operation
    })
  }
})
