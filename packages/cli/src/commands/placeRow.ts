import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import type { PlaceObservation } from "@bursar/api/operator/OperatorReconciliation"

const amountOf = (money: { readonly amount: string } | null): string => money?.amount ?? "not told"

/** Why a place is not compared any more, as far as its network says so. */
const whyOld = (place: string, networks: ReadonlyArray<OperatorNetwork>): string | undefined => {
  const [kind, name = ""] = place.split(":")
  if (kind !== "chain") return undefined
  const network = networks.find((one) => one.network === name)
  if (network === undefined || !network.enabled) return `${name} is off`
  return network.watcher_status === "STALLED" ? `${name} is not read now` : undefined
}

/** What is shown of an observation: always when it was made, and whether its network is read no more, for then it says nothing of today. */
export const placeRow = (one: PlaceObservation, networks: ReadonlyArray<OperatorNetwork>) => ({
  place: one.place,
  currency: one.currency,
  ledger: one.ledger.amount,
  "in flight": one.in_flight.amount,
  observed: one.observation === "unsupported" ? "unsupported" : amountOf(one.observed),
  difference: amountOf(one.difference),
  at: [
    one.observed_at,
    one.block_number === null ? undefined : `block ${one.block_number}`,
    whyOld(one.place, networks)
  ]
    .filter((part) => part !== undefined)
    .join(", ")
})
