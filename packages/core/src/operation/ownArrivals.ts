import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Network } from "../money/Network.ts"
import { adjustArrival } from "./adjustArrival.ts"
import { bookedArrivalReads, isAssigned } from "./bookedArrival.ts"
import { Operation } from "./Operation.ts"

/** A transaction that was found to be of the service's own. */
export interface OwnTransaction {
  readonly network: Network
  readonly txHash: string
  /** What was booked of what it brought, as it was read: the command reads the balances that taking this back takes. */
  readonly booked: ReadonlyArray<Operation>
}

/** What of what a transaction brought to wallets is booked as from outside, and was not taken back. */
export const standingArrivals = (booked: ReadonlyArray<Operation>, network: Network): ReadonlyArray<Operation> =>
  booked.filter(
    ({ details, network: on }) =>
      on === network &&
      details.wallet_arrival !== undefined &&
      details.reverses == null &&
      details.reversed_by === undefined
  )

/** What operators have assigned of arrivals. */
export const assignedOf = (arrivals: ReadonlyArray<Operation>): ReadonlyArray<Operation> => arrivals.filter(isAssigned)

/** What of what stands of a transaction that has left the tenant's wallet is its change: in the network's coin (`native`) and without a sender, as on bitcoin. */
export const changeOf = (
  booked: ReadonlyArray<Operation>,
  { native, network }: { readonly network: Network; readonly native: string | undefined }
): ReadonlyArray<Operation> =>
  standingArrivals(booked, network).filter(
    ({ amount, details }) =>
      amount.currency === native && details.place === "WALLET" && details.wallet_arrival?.from_address === null
  )

/** What `takeBackOwn` reads. */
export const ownArrivalReads = ({ booked, network, txHash }: OwnTransaction): ReadonlyArray<Read> => [
  ...bookedArrivalReads(txHash),
  ...booked.flatMap(({ amount: { currency } }): ReadonlyArray<Read> => [
    ...(["payouts", "deposits", "tenant"] as const).flatMap((place) =>
      placeReads(`chain:${network}:${place}`, currency)
    ),
    { _tag: "Balance", account: "suspense", currency }
  ])
]

const takeBack = (
  view: View,
  { network, txHash }: Omit<OwnTransaction, "booked">,
  { amount, details, id }: Operation
): ReadonlyArray<Change> => {
  const { own_units: ownUnits = "0", place = "WALLET", wallet_arrival: stored } = details
  const booked = { network, txHash, amount, ownUnits: BigInt(ownUnits), place, stored, reverses: id }
  return adjustArrival(view, booked, -1n, "A transaction of the service's own brought it: it was here before.").changes
}

/**
 * Takes back what was booked as from outside of what a transaction of the service's own brought: after a restore the chain may have been read before the
 * signer told what it had signed. What operators have assigned stays: somebody has it. Undefined where something was booked since it was read.
 */
export const takeBackOwn = (view: View, own: OwnTransaction): ReadonlyArray<Change> | undefined => {
  const read = new Set(own.booked.map(({ amount }) => amount.currency))
  const standing = standingArrivals(view.group(Operation, own.txHash), own.network)
  if (standing.some(({ amount }) => !read.has(amount.currency))) return undefined
  return standing.filter((arrival) => !isAssigned(arrival)).flatMap((arrival) => takeBack(view, own, arrival))
}

/**
 * Takes back the change of a transaction that is proven to have left the tenant's wallet, where that is booked as from outside (`changeOf`). What operators have
 * assigned stays. The command reads `bookedArrivalReads`, and the balances of wallet and suspense.
 */
export const takeBackChange = (
  view: View,
  change: Omit<OwnTransaction, "booked"> & { readonly native: string | undefined }
): ReadonlyArray<Change> =>
  changeOf(view.group(Operation, change.txHash), change)
    .filter((arrival) => !isAssigned(arrival))
    .flatMap((arrival) => takeBack(view, change, arrival))
