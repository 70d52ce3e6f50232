import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { endTransactionReads, endUnused } from "../transaction/endTransaction.ts"
import { putTransaction, transactionReads } from "../transaction/moveTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { endReads, failPayoutOf } from "./endPayout.ts"
import { Payout } from "./Payout.ts"
import { payoutRule } from "./payoutRule.ts"

/** An operator's wish that a payout is not made. */
export interface CancelPayout {
  /** As it was read. */
  readonly payout: Payout
  /** The outbound transaction that it names, as it was read; undefined where it names none. */
  readonly transaction: OutboundTransaction | undefined
  readonly by: string
  readonly currencies: CurrencyTable
}

/** How a wish to cancel ended. */
export interface Cancelling {
  /** `cancelled`: it is FAILED; `trying`: something was signed, and the chain decides which comes to be. */
  readonly state: "cancelled" | "trying"
  readonly operation: Operation
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/**
 * Cancels a payout. One of which nothing was signed fails at once (`cancelled_by_operator`) and gives back what it held. Of one that
 * was signed a replacement without it is made under the same replay guard; it fails only by the proof that the chain took that, and is
 * settled if the chain took the other. Refused: `not_found`; a payout that is over or in a block (`state_conflict`); `stale` where it
 * has moved on since it was read.
 */
export const cancelPayout = ({
  by,
  currencies,
  payout: read,
  transaction: readTransaction
}: CancelPayout): Command<Cancelling> => ({
  name: "CancelPayout",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    ...endReads(read),
    ...(readTransaction === undefined
      ? []
      : [
          ...transactionReads(payoutRule, readTransaction),
          ...endTransactionReads(payoutRule, readTransaction, currencies)
        ])
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (payout === undefined || operation === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such payout." }))
    if (isOver(operation.status)) return conflict(`The payout is ${operation.status}.`)
    if (payout.transactionId !== (readTransaction?.id ?? null))
      return Result.fail(new Refusal({ code: "stale", message: "The state of the payout has changed." }))
    const cancelled = { ...payout, cancelledBy: by }
    const now = (of: Payout, more: ReadonlyArray<Change>) =>
      Result.succeed({
        changes: [
          ...failPayoutOf(view, currencies, { operation, payout: of }, "cancelled_by_operator"),
          ...countUsage(view, [operation], -1n),
          ...more
        ],
        reply: { state: "cancelled", operation } as const
      })
    const transaction = readTransaction === undefined ? undefined : view.get(OutboundTransaction, readTransaction.id)
    if (transaction === undefined) return now(cancelled, [])
    if (transaction.phase === "INCLUDED" || transaction.phase === "FINAL") return conflict("The payout is in a block.")
    if (transaction.phase === "RESERVED") {
      const payments = transaction.payments.filter(({ operationId }) => operationId !== payout.operationId)
      const without = { ...cancelled, transactionId: null }
      return now(
        without,
        payments.length === 0
          ? endUnused(view, payoutRule, { transaction, outcome: "released" })
          : putTransaction(view, payoutRule, { before: transaction, after: { ...transaction, payments } })
      )
    }
    const wanted = [...new Set([...transaction.cancelled, payout.operationId])]
    return Result.succeed({
      changes: [
        putRecord(Payout, cancelled),
        ...putTransaction(view, payoutRule, { before: transaction, after: { ...transaction, cancelled: wanted } }),
        schedule(transactionQueue(transaction.network), transaction.id, view.now)
      ],
      reply: { state: "trying", operation }
    })
  }
})
