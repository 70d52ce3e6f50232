import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { readRecord } from "../engine/Records.ts"
import { OutboundTransaction } from "./OutboundTransaction.ts"
import { transactionQueue } from "./queues.ts"

/** Has an outbound transaction that is not over looked at now, because something else waits for what became of it. */
export const lookNow = ({ id, network }: Pick<OutboundTransaction, "id" | "network">): Command<null> => ({
  name: "LookNow",
  reads: [readRecord(OutboundTransaction, id)],
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, id)
    const isOver = transaction === undefined || transaction.phase === "FINAL"
    return Result.succeed({ changes: isOver ? [] : [schedule(transactionQueue(network), id, view.now)], reply: null })
  }
})
