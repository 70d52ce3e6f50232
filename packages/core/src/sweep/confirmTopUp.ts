import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { movedSweep } from "./movedSweep.ts"
import { Sweep } from "./Sweep.ts"
import { openSweepQueue } from "./sweepQueues.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"

/** What was read at an address that was given coin. */
export interface ConfirmTopUp {
  /** As it was read. */
  readonly sweep: Sweep
  /** What the address has of the native asset, read there after the top-up was final. */
  readonly balance: bigint
  /** What the sweep costs now; null where that cannot be told, and the whole top-up has to show. */
  readonly needs: bigint | null
  /** When to look again, where it has not arrived. */
  readonly nextAt: Timestamp
}

/**
 * Notes that a top-up has arrived: its transaction is final and the balance at that address shows it, or what is needed. However
 * long it takes, nothing else says so. Replies with the sweep where it can go on, else null.
 */
export const confirmTopUp = ({ balance, needs, nextAt, sweep: read }: ConfirmTopUp): Command<Sweep | null> => ({
  name: "ConfirmTopUp",
  reads: [
    readRecord(Sweep, read.id),
    ...(read.topUpTransactionId === null ? [] : [readRecord(OutboundTransaction, read.topUpTransactionId)])
  ],
  decide: (view) => {
    const sweep = view.get(Sweep, read.id)
    const transaction =
      read.topUpTransactionId === null ? undefined : view.get(OutboundTransaction, read.topUpTransactionId)
    if (sweep?.state !== "TOPUP_SIGNED" || transaction === undefined)
      return Result.succeed({ changes: [], reply: null })
    const given = transaction.payments.reduce((sum, { units }) => sum + units, 0n)
    const queue = openSweepQueue(sweep.network)
    const shows = balance >= given || (needs !== null && balance >= needs)
    if (transaction.outcome !== "done" || !shows) {
      return Result.succeed({ changes: [schedule(queue, sweep.id, nextAt)], reply: null })
    }
    const confirmed = movedSweep(sweep, "balance_read")
    return Result.succeed({
      changes: [putRecord(Sweep, confirmed), schedule(queue, sweep.id, view.now)],
      reply: confirmed
    })
  }
})
