import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Network } from "../money/Network.ts"
import { adjustArrival } from "./adjustArrival.ts"
import { bookedArrivalReads, broughtBy, isAssigned } from "./bookedArrival.ts"
import { contradictedBy } from "./contradictions.ts"
import { inSuspense } from "./inSuspense.ts"
import { Operation } from "./Operation.ts"
import { lastWord } from "./said.ts"
import { suspenseTakenRead, takenUnnamed } from "./SuspenseTaken.ts"

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
    { _tag: "Balance", account: "suspense", currency },
    suspenseTakenRead(currency)
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

/** That somebody was given what was no new money, as it is noted with the arrival: the books have it, and nothing else tells operators for good. */
const ownGiven = (view: View, arrival: Operation, how: string): Operation => {
  const said = `a transaction of the service's own brought it, so no new money came, and ${how}`
  return contradictedBy(arrival, { said, moved: true }, view.now, null) ?? arrival
}

/** How somebody may have been given an arrival that is taken back, by an adjustment that has named none: `left` is what suspense has then. Undefined where none has taken anything. */
const howTaken = (view: View, currency: string, left: bigint): string | undefined =>
  left < 0n ? "suspense is short of it: an adjustment has credited it" : takenUnnamed(view, currency)

/**
 * Takes back arrivals of the service's own. What operators have assigned stays, as somebody has it, which is noted with it. So is what operators may have
 * credited without naming the arrival, also where suspense has enough by what else stands there.
 */
const takeBackAll = (
  view: View,
  own: Omit<OwnTransaction, "booked">,
  arrivals: ReadonlyArray<Operation>
): ReadonlyArray<Change> => {
  const taken = new Map<string, bigint>()
  return arrivals.flatMap((arrival) => {
    const { assigned } = arrival.details
    if (isAssigned(arrival))
      return [
        putRecord(Operation, ownGiven(view, arrival, `operation ${assigned?.operation_id} has given it to the float`))
      ]
    const { currency, units } = broughtBy(arrival)
    const all = (taken.get(currency) ?? 0n) + units
    taken.set(currency, all)
    const changes = takeBack(view, own, arrival)
    const how = howTaken(view, currency, inSuspense(view, currency) - all)
    return how === undefined ? changes : lastWord(changes, arrival.id, (one) => ownGiven(view, one, how))
  })
}

/**
 * Takes back what was booked as from outside of what a transaction of the service's own brought: after a restore the chain may have been read before the
 * signer told what it had signed (`takeBackAll`). Undefined where something was booked since it was read.
 */
export const takeBackOwn = (view: View, own: OwnTransaction): ReadonlyArray<Change> | undefined => {
  const read = new Set(own.booked.map(({ amount }) => amount.currency))
  const standing = standingArrivals(view.group(Operation, own.txHash), own.network)
  if (standing.some(({ amount }) => !read.has(amount.currency))) return undefined
  return takeBackAll(view, own, standing)
}

/**
 * Takes back the change of a transaction that is proven to have left the tenant's wallet, where that is booked as from outside (`changeOf`, `takeBackAll`).
 * The command reads `bookedArrivalReads`, `suspenseTakenRead`, and the balances of wallet and suspense.
 */
export const takeBackChange = (
  view: View,
  change: Omit<OwnTransaction, "booked"> & { readonly native: string | undefined }
): ReadonlyArray<Change> => takeBackAll(view, change, changeOf(view.group(Operation, change.txHash), change))
