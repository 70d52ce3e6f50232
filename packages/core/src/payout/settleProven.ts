import type { Change } from "../engine/Change.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Leg } from "../ledger/Leg.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import { takeBackChange } from "../operation/ownArrivals.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { feeLegs } from "../transaction/transactionLegs.ts"
import { settlePayout } from "./endPayout.ts"
import type { ProvenPayment } from "./evidenceOf.ts"
import type { OpenPayout } from "./openPayouts.ts"
import { PayoutEvidence } from "./PayoutEvidence.ts"
import { provenBy } from "./payoutDetails.ts"

/** What a network took, in its native asset; null where that is not known. */
export const feeIn = (native: Currency | undefined, units: bigint): Amount | null =>
  native === undefined ? null : of(units, native.code)

/**
 * Settles a payout that another transaction than its own is proven to have made. What the wallet paid for that one is a cost too, beside the payout's
 * `share` of what its own transactions cost: null where they cost nothing. Its change is the wallet's own: where it was booked as from outside, that is taken back.
 */
export const settleProven = (
  view: View,
  transaction: Pick<OutboundTransaction, "id" | "network" | "purpose">,
  pair: OpenPayout,
  {
    currencies,
    legs,
    proof,
    share
  }: {
    readonly currencies: CurrencyTable
    readonly proof: ProvenPayment["evidence"]
    readonly share: bigint | null
    readonly legs: ReadonlyArray<Leg>
  }
): ReadonlyArray<Change> => {
  const native = currencies.byAsset(transaction.network, null)
  const known = proof.fee !== null || share !== null
  return [
    ...settlePayout(view, currencies, pair, {
      hash: proof.hash,
      fee: known ? feeIn(native, (proof.fee ?? 0n) + (share ?? 0n)) : null,
      legs: [...legs, ...feeLegs(transaction, proof.fee ?? 0n, currencies)],
      details: provenBy(pair.operation, proof)
    }),
    ...(proof.isFirst
      ? takeBackChange(view, { network: transaction.network, txHash: proof.hash, native: native?.code })
      : []),
    ...(proof.bears === undefined
      ? []
      : [putRecord(PayoutEvidence, { ...proof.bears, costBorneBy: pair.operation.id })])
  ]
}
