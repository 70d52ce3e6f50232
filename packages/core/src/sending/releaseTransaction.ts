import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { waiting } from "../operation/waits.ts"
import { failPayoutOf, requeuePayout } from "../payout/endPayout.ts"
import type { PayoutFailure } from "../payout/payoutDetails.ts"
import { provisioningKey, AccountProvisioning } from "../transaction/AccountProvisioning.ts"
import { endTransactionReads, endUnused } from "./endTransaction.ts"
import { putTransaction, transactionReads } from "./moveTransaction.ts"
import { flagOpen, openPayouts } from "./openPayouts.ts"
import { provisioningItem, provisioningQueue, transactionQueue } from "../transaction/queues.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { Operation } from "../operation/Operation.ts"

/** An outbound transaction that cannot be built as it is. */
export interface ReleaseTransaction {
  /** As it was read. */
  readonly transaction: OutboundTransaction
  /** Why, and what becomes of its payouts: they are tried again later, each by itself where `alone` says so, or they fail. */
  readonly outcome:
    | {
        readonly _tag: "Requeue"
        readonly reason: string
        readonly detail: string
        readonly at: Timestamp
        readonly alone: boolean
      }
    | { readonly _tag: "Fail"; readonly reason: PayoutFailure }
  readonly currencies: CurrencyTable
}

/** The setup of the account that lent its number, where it did and may have run out of coin for fees. */
const channelProvisioning = ({ counterId, network, guard, walletId }: OutboundTransaction): string | null =>
  guard._tag === "Sequence" && counterId !== walletId ? provisioningKey({ network, address: guard.account }) : null

/** Doubts that an account which lent its number is all that it has to be, so that it is looked at. */
const doubtChannel = (view: View, transaction: OutboundTransaction): ReadonlyArray<Change> => {
  const key = channelProvisioning(transaction)
  const provisioning = key === null ? undefined : view.get(AccountProvisioning, key)
  if (provisioning?.ready !== true) return []
  return [
    putRecord(AccountProvisioning, { ...provisioning, ready: false, since: view.now }),
    schedule(provisioningQueue(transaction.network), provisioningItem, view.now)
  ]
}

/**
 * Gives up an outbound transaction that was never signed, and what it had reserved. A number of an account that others came after is used up by a
 * transaction that does nothing else. Where coin was missing, an account that lent the number is looked at again. One that was signed in the meantime is left alone.
 */
export const releaseTransaction = ({
  currencies,
  outcome,
  transaction: read
}: ReleaseTransaction): Command<OutboundTransaction | null> => ({
  name: "ReleaseTransaction",
  reads: [
    ...transactionReads(read),
    ...endTransactionReads(read, currencies),
    ...[channelProvisioning(read)].flatMap((key) => (key === null ? [] : [readRecord(AccountProvisioning, key)]))
  ],
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    if (transaction?.phase !== "RESERVED") return Result.succeed({ changes: [], reply: null })
    const pairs = openPayouts(view, transaction)
    const ended = pairs.flatMap(({ operation, payout }): ReadonlyArray<Change> => {
      if (outcome._tag === "Fail")
        return failPayoutOf(view, currencies, { operation, payout: { ...payout, transactionId: null } }, outcome.reason)
      const { alone, at, detail, reason } = outcome
      const waits = { reason, detail, since: payout.waits?.since ?? view.now, tries: (payout.waits?.tries ?? 0) + 1 }
      // nothing was signed, so it was no attempt
      const told = waiting(operation, waits, waits.since)
      return [
        ...(told === operation ? [] : [putRecord(Operation, told)]),
        ...requeuePayout(payout, at, { waits, alone: payout.alone || alone, attempts: payout.attempts - 1 })
      ]
    })
    const given = outcome._tag === "Fail" ? pairs.map(({ operation }) => operation) : []
    return Result.succeed({
      changes: [
        ...endUnused(view, transaction, "released"),
        ...ended,
        ...countUsage(view, given, -1n),
        ...(outcome.reason === "insufficient_wallet" ? doubtChannel(view, transaction) : [])
      ],
      reply: transaction
    })
  }
})

/** Notes why an outbound transaction cannot go on, and when to look again; one that is not signed for too long is flagged unresolved. */
export const delayTransaction = ({
  currencies,
  nextAt,
  problem,
  transaction: read,
  unresolvedAfterMs
}: {
  readonly transaction: OutboundTransaction
  readonly problem: string
  readonly nextAt: Timestamp
  readonly unresolvedAfterMs: number
  readonly currencies: CurrencyTable
}): Command<OutboundTransaction | null> => ({
  name: "DelaySpend",
  reads: transactionReads(read),
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    if (transaction === undefined || transaction.phase === "FINAL") return Result.succeed({ changes: [], reply: null })
    const stuck = view.now - (transaction.sentAt ?? transaction.signedAt ?? transaction.reservedAt) >= unresolvedAfterMs
    const flagged = stuck ? flagOpen(view, transaction, currencies) : []
    return Result.succeed({
      changes: [
        ...putTransaction(view, transaction, { ...transaction, problem }),
        ...flagged,
        schedule(transactionQueue(transaction.network), transaction.id, nextAt)
      ],
      reply: transaction
    })
  }
})
