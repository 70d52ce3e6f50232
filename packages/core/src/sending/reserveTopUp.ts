import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { isPut, putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { putTransaction, staleTransaction } from "./moveTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { nextSequenceOf } from "./reserveTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import {
  examine,
  openChanges,
  openedSweep,
  type ReservedSweep,
  type SweepRequest,
  requestReads
} from "./reserveSweep.ts"
import { newSweepAccount, sweepAccountKey, SweepAccount } from "../sweep/SweepAccount.ts"
import { sweepQueue } from "../sweep/sweepQueues.ts"
import { newTransaction } from "../transaction/newTransaction.ts"
import type { ReplayGuard } from "../port/ChainSender.ts"

/** An address that is to be given coin, so that it can pay for moving what arrived there. */
export interface ReserveTopUp {
  /** The tenant's payout wallet, which pays. */
  readonly wallet: PayoutWallet
  /** Whose number is used up: the wallet, or a channel account. */
  readonly channel: PayoutWallet
  /** What the network's transactions use up (`guardKind`). */
  readonly guard: ReplayGuard["_tag"]
  /** What the chain says that the lender's numbers go on with; null where the network has none. */
  readonly first: bigint | null
  readonly request: SweepRequest
  /** So much of the native asset. */
  readonly units: bigint
  /** When to look at it again, whatever comes of its outbound transaction. */
  readonly lookAt: Timestamp
}

/**
 * Opens a sweep by the outbound transaction that gives its address coin for the network fee. Refused and answered as `reserveSweep`.
 */
export const reserveTopUp = (command: ReserveTopUp): Command<ReservedSweep> => {
  const { first, channel: lendingChannels, lookAt, units, wallet: paying, request } = command
  const { network } = paying
  const key = sweepAccountKey(network, request.account)
  return {
    name: "ReserveTopUp",
    reads: [...requestReads(paying, [request]), readRecord(PayoutWallet, lendingChannels.id)],
    decide: (view) => {
      const found = examine(view, network, [request], null)
      if (Result.isFailure(found)) return Result.fail(found.failure)
      const { held } = found.success
      if (held.length > 0) {
        const changes = held.map((id) => unschedule(sweepQueue(network), id))
        return Result.succeed({ changes, reply: { _tag: "Held", addressIds: held } as const })
      }
      const [wallet, channel] = [view.get(PayoutWallet, paying.id), view.get(PayoutWallet, lendingChannels.id)]
      if (wallet === undefined || channel === undefined) return Result.fail(staleTransaction("A wallet is not there."))
      const counted = command.guard === "Sequence"
      const number = counted ? nextSequenceOf(channel, first) : null
      if (counted && number === null) return Result.fail(staleTransaction("The account's next number is not known."))
      const transaction = newTransaction(view, {
        id: view.newId(),
        network,
        purpose: "TOP_UP",
        walletId: wallet.id,
        from: wallet.address,
        guard: number === null ? { _tag: "Expiry" } : { _tag: "Sequence", account: channel.address, sequence: number },
        counterId: number === null ? null : channel.id,
        payments: [{ operationId: null, to: request.account, contract: null, units, memo: null }],
        trustlines: [],
        drain: false,
        salt: wallet.nextSalt
      })
      const put = putTransaction(view, null, transaction, number === null ? {} : { nextSequence: number + 1n }).map(
        (change): Change =>
          isPut(PayoutWallet, change) && change.record.id === wallet.id
            ? putRecord(PayoutWallet, { ...change.record, nextSalt: wallet.nextSalt + 1 })
            : change
      )
      const sweep = openedSweep(view, network, request, {
        topUpTransactionId: transaction.id,
        sweepTransactionId: null
      })
      const account = view.get(SweepAccount, key) ?? newSweepAccount(network, request.account)
      return Result.succeed({
        changes: [
          ...put,
          schedule(transactionQueue(network), transaction.id, view.now),
          ...openChanges(view, sweep, request, lookAt),
          putRecord(SweepAccount, { ...account, sweepIds: [...account.sweepIds, sweep.id] })
        ],
        reply: { _tag: "Reserved", transaction, sweeps: [sweep] } as const
      })
    }
  }
}
