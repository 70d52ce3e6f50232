import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import { endTransactionReads } from "./endTransaction.ts"
import { invalidateTransaction } from "./invalidateTransaction.ts"
import { canMoveTransaction, moveTransaction, putTransaction, transactionReads } from "./moveTransaction.ts"
import { OutboundTransaction } from "./OutboundTransaction.ts"
import { type Ending, type PurposeRules, ruleOf } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"
import { settleTransaction } from "./settleTransaction.ts"

/** What the chain says of the transactions of an outbound transaction. */
export interface RecordStatus extends Ending {
  readonly purposes: PurposeRules
  /** As it was read. */
  readonly transaction: OutboundTransaction
  /** The hashes that the chain was asked about: where another was signed since, what was said counts for nothing. */
  readonly asked: ReadonlyArray<string>
  readonly status: TransactionStatus
  /** When to look again, where this is not the end. */
  readonly nextAt: Timestamp
  /** For how long an outbound transaction may be in no block before its outcome counts as unknown, in milliseconds. */
  readonly unresolvedAfterMs: number
}

/** What cannot be concluded is shown and looked at again; a person has to find out what it means. */
const inconclusive = (
  view: View,
  transaction: OutboundTransaction,
  command: RecordStatus,
  problem: string
): ReadonlyArray<Change> => [
  ...putTransaction(view, ruleOf(command.purposes, transaction), {
    before: transaction,
    after: { ...transaction, problem }
  }),
  ...ruleOf(command.purposes, transaction).unresolved(view, transaction, command.currencies),
  schedule(transactionQueue(transaction.network), transaction.id, command.nextAt)
]

const pending = (view: View, transaction: OutboundTransaction, command: RecordStatus): ReadonlyArray<Change> => {
  const { currencies, nextAt, purposes, unresolvedAfterMs } = command
  const rule = ruleOf(purposes, transaction)
  const lost =
    transaction.phase === "INCLUDED"
      ? moveTransaction(view, rule, { before: transaction, trigger: "lost", patch: { blockNumber: null } }).changes
      : []
  const since = transaction.sentAt ?? transaction.signedAt ?? transaction.reservedAt
  return [
    ...lost,
    ...(view.now - since >= unresolvedAfterMs ? rule.unresolved(view, transaction, currencies) : []),
    schedule(transactionQueue(transaction.network), transaction.id, nextAt)
  ]
}

const included = (
  view: View,
  transaction: OutboundTransaction,
  command: RecordStatus,
  { blockNumber }: Extract<TransactionStatus, { readonly _tag: "Included" }>
): ReadonlyArray<Change> => {
  const again = schedule(transactionQueue(transaction.network), transaction.id, command.nextAt)
  if (transaction.phase === "INCLUDED" && transaction.blockNumber === blockNumber) return [again]
  const after = moveTransaction(view, ruleOf(command.purposes, transaction), {
    before: transaction,
    trigger: "included",
    patch: { blockNumber, asked: null, problem: null }
  })
  return [...after.changes, again]
}

/**
 * Whether what operators know counts beside what the chain says of an outbound transaction: something that it was to pay is not paid by what was signed
 * for it, and never will be. Its first attempt pays all of it; one that took the place of that may leave something out.
 */
export const asksForEvidence = (status: TransactionStatus, { hashes }: Pick<OutboundTransaction, "hashes">): boolean =>
  status._tag === "Invalidated" || (status._tag === "Final" && (status.effect !== "done" || status.hash !== hashes[0]))

/**
 * Draws what follows from the chain's word on an outbound transaction. It ends by an attempt that is final, or by the proof that none
 * can take effect; what that means is for the rule of its purpose to say (`PurposeRule`). Everything else is not an end: it waits,
 * flagged unresolved where it takes too long or contradicts itself. What has expired is looked at again where something of it was cancelled since it was read. Sending it twice concludes once. Replies with the outbound transaction as it was before where it is not over, else null.
 */
export const recordStatus = (command: RecordStatus): Command<OutboundTransaction | null> => ({
  name: "RecordStatus",
  reads: [
    ...transactionReads(ruleOf(command.purposes, command.transaction), command.transaction),
    ...endTransactionReads(ruleOf(command.purposes, command.transaction), command.transaction, command.currencies),
    ...(asksForEvidence(command.status, command.transaction)
      ? ruleOf(command.purposes, command.transaction).evidenceReads(command.transaction, command.evidence ?? [])
      : [])
  ],
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, command.transaction.id)
    if (transaction === undefined || !canMoveTransaction(transaction, "concluded"))
      return Result.succeed({ changes: [], reply: null })
    const { status } = command
    const rule = ruleOf(command.purposes, transaction)
    // what was cancelled meanwhile would fail: the signer is asked first
    const isCancelled =
      status._tag === "Invalidated" &&
      status.reason === "expired_unsent" &&
      transaction.cancelled.length > command.transaction.cancelled.length
    const outdated = isCancelled || transaction.hashes.some((hash) => !command.asked.includes(hash))
    // what is final stays so, whatever was signed since; the rest was said of fewer transactions than there are
    if (outdated && status._tag !== "Final") return Result.succeed({ changes: [], reply: transaction })
    switch (status._tag) {
      case "Pending":
        return Result.succeed({ changes: pending(view, transaction, command), reply: transaction })
      case "Included":
        return Result.succeed({ changes: included(view, transaction, command, status), reply: transaction })
      case "Final":
      case "Invalidated": {
        const concluded =
          status._tag === "Final"
            ? settleTransaction(view, rule, { ...command, status, transaction })
            : invalidateTransaction(view, rule, { ...command, status, transaction })
        const changes = Result.getOrElse(concluded, (problem) => inconclusive(view, transaction, command, problem))
        return Result.succeed({ changes, reply: null })
      }
    }
  }
})
