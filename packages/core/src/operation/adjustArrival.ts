import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import type { Leg } from "../ledger/Leg.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import { putArrival } from "./bookedArrival.ts"
import type { WalletTransferPlace } from "./details/AdjustmentDetails.ts"
import { newOperation } from "./newOperation.ts"
import type { OperationDetails } from "./OperationDetails.ts"

/** What came to a wallet or an account of the service, as it is booked. */
export interface Arrival {
  readonly network: Network
  readonly txHash: string
  /** All that it brought. */
  readonly amount: Amount
  /** What of it left addresses of the tenant's own, where it was credited, in base units. */
  readonly ownUnits: bigint
  readonly place: WalletTransferPlace
  /** The arrival itself, as details keep it. */
  readonly stored: OperationDetails<"ADJUSTMENT">["wallet_arrival"]
  /** The operation that had booked it, where this one takes it back. */
  readonly reverses: string | null
}

/**
 * An ADJUSTMENT between the wallet and suspense: what it is there for, a person has to find out. What was credited on an address of
 * the tenant's own leaves that instead. `sign` -1 takes it back.
 */
export const adjustArrival = (
  view: View,
  { amount: { currency, units }, network, ownUnits, place, reverses, stored, txHash }: Arrival,
  sign: 1n | -1n,
  reason: string
): { readonly id: string; readonly changes: ReadonlyArray<Change> } => {
  const operation = newOperation(view, {
    kind: "ADJUSTMENT",
    status: "SETTLED",
    amount: of(sign * units, currency),
    network,
    txHash,
    settledAt: view.now,
    details: {
      reason,
      ...(stored !== undefined && { wallet_arrival: stored }),
      place,
      own_units: ownUnits.toString(),
      ...(reverses !== null && { reverses })
    }
  })
  const leg = { currency, what: "adjustment" } as const
  const [inwards, outwards] = sign > 0n ? (["DEBIT", "CREDIT"] as const) : (["CREDIT", "DEBIT"] as const)
  const sides: ReadonlyArray<Leg> = [
    // in the wallet, or with the deposits of the addresses that share the account
    { ...leg, account: `chain:${network}:${place === "WALLET" ? "payouts" : "deposits"}`, direction: inwards, units },
    { ...leg, account: `chain:${network}:tenant`, direction: outwards, units: ownUnits },
    { ...leg, account: "suspense", direction: outwards, units: units - ownUnits }
  ]
  const legs = sides.filter((side) => side.units > 0n)
  return {
    id: operation.id,
    changes: [
      ...putArrival(view, txHash, operation),
      { _tag: "Posted", operationId: operation.id, legs, happened: true }
    ]
  }
}
