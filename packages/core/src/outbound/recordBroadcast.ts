import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord } from "../engine/Records.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import type { Broadcast } from "../port/ChainSender.ts"
import { canMoveSpend, followSpend, moveSpend, putSpend, spendReads } from "./moveSpend.ts"
import { spendTopic } from "./sendTopic.ts"
import { operationsOf, type Spend } from "./Spend.ts"

/** What a node said when it was given a stored transaction. */
export interface RecordBroadcast {
  /** As it was read. */
  readonly spend: Spend
  readonly hash: string
  readonly answer: Broadcast
  /** When to look at the spend again. */
  readonly nextAt: Timestamp
}

/**
 * Notes that a transaction was given to a node. One of which it is not known whether the node has it counts as sent. What a node
 * would not take stays as it is, and is tried again: that decides nothing.
 */
export const recordBroadcast = ({ answer, hash, nextAt, spend: read }: RecordBroadcast): Command<Spend | null> => ({
  name: "RecordBroadcast",
  reads: spendReads(read),
  decide: (view) => {
    const spend = view.record("Spend", read.id)
    const transaction = view.recordGroup("SentTransaction", read.id).find((one) => one.hash === hash)
    if (spend === undefined || transaction === undefined || spend.phase === "FINAL") {
      return Result.succeed({ changes: [], reply: null })
    }
    // what was asked for has been done, whatever the node said to it
    const asked = spend.asked === "REBROADCAST" ? null : spend.asked
    const again = schedule(spendTopic(spend.network), spend.id, nextAt)
    if (answer._tag === "NotTaken" || !canMoveSpend(spend, "sent")) {
      const problem =
        answer._tag === "NotTaken" ? `The node did not take ${hash}: ${answer.reason}: ${answer.detail}` : null
      const after = { ...spend, asked, problem }
      return Result.succeed({ changes: [...putSpend(view, spend, after), again], reply: after })
    }
    const after = moveSpend(view, spend, "sent", {
      sentAt: spend.sentAt ?? view.now,
      lastSentAt: view.now,
      asked,
      problem: answer._tag === "Unknown" ? `No answer to ${hash} that can be relied on: ${answer.detail}` : null
    })
    return Result.succeed({
      changes: [
        ...(transaction.sentAt === null ? [putRecord("SentTransaction", { ...transaction, sentAt: view.now })] : []),
        ...after.changes,
        ...followSpend(view, after.spend),
        ...operationsOf(spend).flatMap((id): ReadonlyArray<Change> => {
          const operation = view.operation(id)
          return operation !== undefined && canMove(operation, "sent")
            ? [{ _tag: "OperationPut", operation: moved(view, operation, "sent") }]
            : []
        }),
        again
      ],
      reply: after.spend
    })
  }
})
