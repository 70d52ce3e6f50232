import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import { Deposit } from "../deposit/Deposit.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { schedule } from "../engine/Job.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { OutboundTransaction, utxosHeld } from "../transaction/OutboundTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { movedSweep } from "./movedSweep.ts"
import { Sweep, type SweptDeposit } from "./Sweep.ts"
import { openSweepQueue } from "./sweepQueues.ts"

/** Why a signed sweep may wait for ever. */
export type Loss =
  /** A deposit of it is lost: one counts as lost that is not on the chain since `goneBefore`, or for longer. */
  | { readonly _tag: "Deposit"; readonly goneBefore: Timestamp }
  /** The account that pays has lost the native asset for the fee, such as with a payment that left the chain: `balance` is all that it has. */
  | { readonly _tag: "Fee"; readonly balance: bigint }

/** Sweeps that may wait for ever. */
export interface LoseSweeps {
  /** As it was read. */
  readonly transaction: OutboundTransaction
  /** All sweeps of the transaction, as they were read. */
  readonly sweeps: ReadonlyArray<Sweep>
  readonly loss: Loss
}

const identityOf = ({ network, transferIndex, txHash }: SweptDeposit) => ({ network, transferIndex, txHash })

const lostOf = (view: View, sweeps: ReadonlyArray<Sweep>, goneBefore: Timestamp): SweptDeposit | undefined =>
  sweeps
    .flatMap(({ deposits }) => deposits)
    .find((swept) => {
      const deposit = view.get(Deposit, identityOf(swept))
      return deposit?.status === "REORGED" && deposit.reorgedAt !== null && deposit.reorgedAt <= goneBefore
    })

/** Whether a balance pays for none of the transactions that were signed. Those that spend UTXOs have their fee in them. */
const isShort = (view: View, { guard, id, payments }: OutboundTransaction, balance: bigint): boolean => {
  const moved = payments.reduce((sum, { contract, units }) => (contract === null ? sum + units : sum), 0n)
  return guard._tag === "Sequence" && view.group(TransactionAttempt, id).every(({ feeMax }) => balance < moved + feeMax)
}

/** What has been lost, in words for operators; undefined where nothing has. */
const problemOf = (
  view: View,
  transaction: OutboundTransaction,
  sweeps: ReadonlyArray<Sweep>,
  loss: Loss
): string | undefined => {
  if (loss._tag === "Fee")
    return isShort(view, transaction, loss.balance) ? "Its address can no longer pay the network fee." : undefined
  const lost = lostOf(view, sweeps, loss.goneBefore)
  return lost === undefined ? undefined : `Deposit ${lost.depositId} of it is not on the chain any more.`
}

/**
 * Whether what was signed may wait in vain. What is in a block is there for the chain to judge, and what expires ends by itself: until
 * then nothing else could take its place.
 */
const mayWaitInVain = (view: View, { givenUpAfter, id, phase, purpose }: OutboundTransaction): boolean =>
  purpose === "SWEEP" &&
  givenUpAfter === null &&
  (phase === "SIGNED" || phase === "BROADCAST") &&
  view.group(TransactionAttempt, id).every(({ validUntil }) => validUntil === null)

/**
 * Gives up the sweeps of a transaction that was signed, because a deposit of theirs was lost, or what its address would pay the fee with: it
 * may wait for that coin for ever.
 *
 * **Details**
 *
 * The bytes may be anywhere, so the transaction goes on, and is followed to its end. A sequence number is used up by a replacement
 * that does nothing, and the account is free once that, or what was signed before, is final; UTXOs are free at once, since
 * whatever spends one of them excludes the other. Where the fee is what lacks, what arrived waits to be swept again, and its address is given
 * coin for that: the number is used up with it. If what was signed takes effect all the same, its sweeps are SWEPT. Replies whether it
 * gave them up.
 */
export const loseSweeps = ({ loss, sweeps: read, transaction: { id } }: LoseSweeps): Command<boolean> => ({
  name: "LoseSweeps",
  reads: [
    readRecord(OutboundTransaction, id),
    readGroup(TransactionAttempt, id),
    readGroup(Sweep, id),
    ...read.flatMap(({ deposits }) => deposits.map((deposit) => readRecord(Deposit, identityOf(deposit))))
  ],
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, id)
    const sweeps = view.group(Sweep, id).filter((sweep) => read.some((one) => one.id === sweep.id))
    if (transaction === undefined || sweeps.length === 0 || !mayWaitInVain(view, transaction))
      return Result.succeed({ changes: [], reply: false })
    const problem = problemOf(view, transaction, sweeps, loss)
    if (problem === undefined) return Result.succeed({ changes: [], reply: false })
    const { guard, hashes, network } = transaction
    const freed = guard._tag === "Utxos" ? utxosHeld(transaction).map(({ txHash, vout }) => ({ txHash, vout })) : []
    return Result.succeed({
      changes: [
        putRecord(OutboundTransaction, { ...transaction, givenUpAfter: hashes.length, freed, problem }),
        schedule(transactionQueue(network), id, view.now),
        ...sweeps.flatMap((sweep): ReadonlyArray<Change> => [
          putRecord(Sweep, movedSweep(sweep, "abandoned", { problem, endedAt: view.now })),
          schedule(openSweepQueue(network), sweep.id, view.now)
        ])
      ],
      reply: true
    })
  }
})
