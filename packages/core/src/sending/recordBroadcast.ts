import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import type { Broadcast } from "../port/ChainSender.ts"
import {
  canMoveTransaction,
  syncPayoutPhases,
  moveTransaction,
  putTransaction,
  transactionReads
} from "./moveTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { operationsOf, OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { Operation } from "../operation/Operation.ts"

/** What a node said when it was given a stored transaction. */
export interface RecordBroadcast {
  /** As it was read. */
  readonly transaction: OutboundTransaction
  readonly hash: string
  readonly answer: Broadcast
  /** When to look at the outbound transaction again. */
  readonly nextAt: Timestamp
}

/**
 * Notes that a transaction was given to a node. One of which it is not known whether the node has it counts as sent. What a node
 * would not take stays as it is, and is tried again: that decides nothing.
 */
export const recordBroadcast = ({
  answer,
  hash,
  nextAt,
  transaction: read
}: RecordBroadcast): Command<OutboundTransaction | null> => ({
  name: "RecordBroadcast",
  reads: transactionReads(read),
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    const attempt = view.group(TransactionAttempt, read.id).find((one) => one.hash === hash)
    if (transaction === undefined || attempt === undefined || transaction.phase === "FINAL") {
      return Result.succeed({ changes: [], reply: null })
    }
    // what was asked for has been done, whatever the node said to it
    const asked = transaction.asked === "REBROADCAST" ? null : transaction.asked
    const again = schedule(transactionQueue(transaction.network), transaction.id, nextAt)
    if (answer._tag === "Rejected" || !canMoveTransaction(transaction, "sent")) {
      const problem =
        answer._tag === "Rejected" ? `The node did not take ${hash}: ${answer.reason}: ${answer.detail}` : null
      const after = { ...transaction, asked, problem }
      return Result.succeed({ changes: [...putTransaction(view, transaction, after), again], reply: after })
    }
    const after = moveTransaction(view, transaction, "sent", {
      sentAt: transaction.sentAt ?? view.now,
      lastSentAt: view.now,
      asked,
      problem: answer._tag === "Unknown" ? `No answer to ${hash} that can be relied on: ${answer.detail}` : null
    })
    return Result.succeed({
      changes: [
        ...(attempt.sentAt === null ? [putRecord(TransactionAttempt, { ...attempt, sentAt: view.now })] : []),
        ...after.changes,
        ...syncPayoutPhases(view, after.transaction),
        ...operationsOf(transaction).flatMap((id): ReadonlyArray<Change> => {
          const operation = view.get(Operation, id)
          return operation !== undefined && canMove(operation, "sent")
            ? [putRecord(Operation, moved(view, operation, "sent"))]
            : []
        }),
        again
      ],
      reply: after.transaction
    })
  }
})
