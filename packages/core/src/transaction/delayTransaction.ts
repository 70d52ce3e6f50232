import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { putTransaction, transactionReads } from "./moveTransaction.ts"
import { OutboundTransaction } from "./OutboundTransaction.ts"
import { type PurposeRules, ruleOf } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"

/** Why an outbound transaction cannot go on, and when it is tried again. */
export interface DelayTransaction {
  /** As it was read. */
  readonly transaction: OutboundTransaction
  readonly problem: string
  readonly nextAt: Timestamp
  /** For how long it may be unsigned before its outcome counts as unknown, in milliseconds. */
  readonly unresolvedAfterMs: number
  readonly purposes: PurposeRules
  readonly currencies: CurrencyTable
}

/** Notes why an outbound transaction cannot go on, and when to look again; one that is not signed for too long is flagged unresolved. */
export const delayTransaction = ({
  currencies,
  nextAt,
  problem,
  purposes,
  transaction: read,
  unresolvedAfterMs
}: DelayTransaction): Command<OutboundTransaction | null> => ({
  name: "DelayTransaction",
  reads: transactionReads(ruleOf(purposes, read), read),
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    if (transaction === undefined || transaction.phase === "FINAL") return Result.succeed({ changes: [], reply: null })
    const stuck = view.now - (transaction.sentAt ?? transaction.signedAt ?? transaction.reservedAt) >= unresolvedAfterMs
    const rule = ruleOf(purposes, transaction)
    const flagged = stuck ? rule.unresolved(view, transaction, currencies) : []
    return Result.succeed({
      changes: [
        ...putTransaction(view, rule, { before: transaction, after: { ...transaction, problem } }),
        ...flagged,
        schedule(transactionQueue(transaction.network), transaction.id, nextAt)
      ],
      reply: transaction
    })
  }
})
