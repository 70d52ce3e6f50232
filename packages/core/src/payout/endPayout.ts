import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import type { Leg } from "../ledger/Leg.ts"
import { usageReads } from "../limit/limitedUsage.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { holdReads, release, take } from "../operation/holds.ts"
import { concluded } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { reviewClosed } from "../operation/Review.ts"
import { payoutQueue } from "./payoutQueue.ts"
import { PaidAddress, paidAddressKey, receiverOf } from "./PaidAddress.ts"
import { Payout } from "./Payout.ts"
import { failedFor, type PayoutFailure } from "./payoutDetails.ts"

/** What ending a payout reads, beside itself and its operation. */
export const endReads = ({
  currency,
  memo,
  network,
  to
}: Pick<Payout, "currency" | "memo" | "network" | "to">): ReadonlyArray<Read> => [
  ...holdReads(currency, `chain:${network}:payouts`),
  readRecord(PaidAddress, paidAddressKey(network, receiverOf({ memo, to }))),
  ...usageReads("CHAIN_PAYOUT")
]

/** Settles a payout that the chain has made: what was held is spent, the fee becomes income. `fee` is what the network took for it. */
export const settlePayout = (
  view: View,
  currencies: CurrencyTable,
  { operation, payout }: { readonly operation: Operation; readonly payout: Payout },
  proof: {
    readonly hash: string
    readonly fee: Amount | null
    readonly legs: ReadonlyArray<Leg>
    readonly details?: Operation["details"]
  }
): ReadonlyArray<Change> => {
  const { network } = payout
  const address = receiverOf(payout)
  const details = proof.details ?? operation.details
  const patch = { txHash: proof.hash, providerReference: proof.hash, networkFee: proof.fee, details }
  const { changes } = concluded(view, currencies, operation, "settled", patch)
  const paid: PaidAddress = { network, address, firstPaidAt: view.now }
  return [
    ...changes,
    take(operation, `chain:${network}:payouts`, proof.legs),
    ...(view.get(PaidAddress, paidAddressKey(network, address)) === undefined ? [putRecord(PaidAddress, paid)] : [])
  ]
}

/**
 * Fails a payout that can no longer be made: what was held is given back. The caller gives back what it used of the limits
 * (`countUsage`), of all that fail at once.
 */
export const failPayoutOf = (
  view: View,
  currencies: CurrencyTable,
  { operation, payout }: { readonly operation: Operation; readonly payout: Payout },
  reason: PayoutFailure,
  patch: Partial<Operation> = {}
): ReadonlyArray<Change> => [
  ...concluded(view, currencies, operation, "failed", {
    ...patch,
    details: failedFor({ details: reviewClosed(operation, { by: payout.cancelledBy, at: view.now, reason }) }, reason)
  }).changes,
  release(operation),
  putRecord(Payout, { ...payout, waits: null }),
  unschedule(payoutQueue(payout.network), payout.operationId)
]

/** Puts a payout back, to be tried in another outbound transaction at a moment. Only after it is sure that nothing of the one before takes effect. */
export const requeuePayout = (payout: Payout, at: Timestamp, patch: Partial<Payout> = {}): ReadonlyArray<Change> => [
  putRecord(Payout, { ...payout, transactionId: null, ...patch }),
  schedule(payoutQueue(payout.network), payout.operationId, at)
]
