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

/** Sweeps of which a deposit may be lost. */
export interface LoseSweeps {
  /** As it was read. */
  readonly transaction: OutboundTransaction
  /** All sweeps of the transaction, as they were read. */
  readonly sweeps: ReadonlyArray<Sweep>
  /** A deposit counts as lost that is not on the chain since then, or for longer. */
  readonly goneBefore: Timestamp
}

const identityOf = ({ network, transferIndex, txHash }: SweptDeposit) => ({ network, transferIndex, txHash })

const lostOf = (view: View, sweeps: ReadonlyArray<Sweep>, goneBefore: Timestamp): SweptDeposit | undefined =>
  sweeps
    .flatMap(({ deposits }) => deposits)
    .find((swept) => {
      const deposit = view.get(Deposit, identityOf(swept))
      return deposit?.status === "REORGED" && deposit.reorgedAt !== null && deposit.reorgedAt <= goneBefore
    })

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
 * Gives up the sweeps of a transaction that was signed, because a deposit of theirs was lost: it may wait for that coin for ever.
 *
 * **Details**
 *
 * The bytes may be anywhere, so the transaction goes on, and is followed to its end. A sequence number is used up by a replacement
 * that does nothing, and the account is free once that, or what was signed before, is final; UTXOs are free at once, since
 * whatever spends one of them excludes the other. If what was signed takes effect all the same, its sweeps are SWEPT. Replies whether it
 * gave them up.
 */
export const loseSweeps = ({ goneBefore, sweeps: read, transaction: { id } }: LoseSweeps): Command<boolean> => ({
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
    const lost = lostOf(view, sweeps, goneBefore)
    if (transaction === undefined || lost === undefined || !mayWaitInVain(view, transaction))
      return Result.succeed({ changes: [], reply: false })
    const { guard, hashes, network } = transaction
    const problem = `Deposit ${lost.depositId} of it is not on the chain any more.`
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
