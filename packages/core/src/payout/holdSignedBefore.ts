import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { waiting } from "../operation/waits.ts"
import { holdPayout } from "./holdPayout.ts"
import { Payout, type PayoutWaits } from "./Payout.ts"

const reason = "signed_before"

/** Why a payout waits for an operator that the signer has signed for in transactions of which nothing is stored: any of them may have paid it. */
export const signedBefore = (hashes: ReadonlyArray<string>) =>
  ({
    reason,
    detail: `It was signed for in ${hashes.join(" and ")} before, ${notStored(hashes)} before you cancel it.`
  }) as const satisfies Pick<PayoutWaits, "detail" | "reason">

/** What an operator has to find out of transactions that only the signer knows. */
export const notStored = (hashes: ReadonlyArray<string>): string =>
  hashes.length === 1
    ? "which is not stored here: find out whether that was paid"
    : "which are not stored here: find out whether one of them was paid"

/** Whether an operator was told of all that the signer has signed for a payout. What counts is which hashes the words that are shown name. */
export const wasTold = ({ waits }: Pick<Payout, "waits">, hashes: ReadonlyArray<string>): boolean =>
  waits?.reason === reason && hashes.every((hash) => waits.detail.includes(hash))

/** A payout that the signer has signed for, and that is in no outbound transaction. */
export interface HoldSignedBefore {
  /** As it was read. */
  readonly payout: Payout
  /** All that was signed. */
  readonly hashes: ReadonlyArray<string>
  readonly currencies: CurrencyTable
}

/**
 * Lets a payout that the signer has signed for wait for an operator (`signed_before`): what was signed may be on the chain, so it neither fails nor is
 * cancelled before somebody has looked. One that waits for all of that already, is over, or is in an outbound transaction by now is left alone.
 */
export const holdSignedBefore = ({ currencies, hashes, payout: read }: HoldSignedBefore): Command<boolean> => ({
  name: "HoldSignedBefore",
  reads: [readRecord(Payout, read.operationId), readRecord(Operation, read.operationId)],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (operation === undefined || payout === undefined || payout.transactionId !== null)
      return Result.succeed({ changes: [], reply: false })
    if (isOver(operation.status) || wasTold(payout, hashes)) return Result.succeed({ changes: [], reply: false })
    const why = signedBefore(hashes)
    if (operation.status !== "IN_REVIEW")
      return Result.succeed({ changes: holdPayout(view, currencies, { operation, payout }, why), reply: true })
    const since = payout.waits?.since ?? view.now
    const waits: PayoutWaits = { ...why, since, tries: (payout.waits?.tries ?? 0) + 1 }
    const changes = [putRecord(Payout, { ...payout, waits }), putRecord(Operation, waiting(operation, why, since))]
    return Result.succeed({ changes, reply: true })
  }
})
