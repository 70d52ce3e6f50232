import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Broadcast } from "../port/ChainSender.ts"
import { canMoveTransaction, moveTransaction, putTransaction, transactionReads } from "./moveTransaction.ts"
import { OutboundTransaction } from "./OutboundTransaction.ts"
import { type PurposeRules, ruleOf } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"
import { TransactionAttempt } from "./TransactionAttempt.ts"

/** What a node said when it was given a stored transaction. */
export interface RecordBroadcast {
  readonly purposes: PurposeRules
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
  purposes,
  transaction: read
}: RecordBroadcast): Command<OutboundTransaction | null> => ({
  name: "RecordBroadcast",
  reads: transactionReads(ruleOf(purposes, read), read),
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    const attempt = view.group(TransactionAttempt, read.id).find((one) => one.hash === hash)
    if (transaction === undefined || attempt === undefined || transaction.phase === "FINAL") {
      return Result.succeed({ changes: [], reply: null })
    }
    const rule = ruleOf(purposes, transaction)
    // what was asked for has been done, whatever the node said to it
    const asked = transaction.asked === "REBROADCAST" ? null : transaction.asked
    const again = schedule(transactionQueue(transaction.network), transaction.id, nextAt)
    if (answer._tag === "Rejected" || !canMoveTransaction(transaction, "sent")) {
      const problem =
        answer._tag === "Rejected" ? `The node did not take ${hash}: ${answer.reason}: ${answer.detail}` : null
      const after = { ...transaction, asked, problem }
      return Result.succeed({
        changes: [...putTransaction(view, rule, { before: transaction, after }), again],
        reply: after
      })
    }
    const after = moveTransaction(view, rule, {
      before: transaction,
      trigger: "sent",
      patch: {
        sentAt: transaction.sentAt ?? view.now,
        lastSentAt: view.now,
        asked,
        problem: answer._tag === "Unknown" ? `No answer to ${hash} that can be relied on: ${answer.detail}` : null
      }
    })
    return Result.succeed({
      changes: [
        ...(attempt.sentAt === null ? [putRecord(TransactionAttempt, { ...attempt, sentAt: view.now })] : []),
        ...after.changes,
        ...rule.sent(view, transaction),
        again
      ],
      reply: after.transaction
    })
  }
})
