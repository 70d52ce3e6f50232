import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * The tenant's own address for a currency, to which it withdraws. Operators propose and verify it, never the same one; a
 * request cannot name another. The newest that is verified takes the place of the one before once its waiting time is over.
 */
export interface Destination {
  readonly id: string
  readonly currency: string
  readonly network: Network
  /** Canonical. */
  readonly address: string
  readonly memo: string | null
  readonly label: string
  readonly proposedBy: string
  readonly verifiedBy: string | null
  readonly verifiedAt: Timestamp | null
  /** From when on it may be paid; null until it is verified. */
  readonly usableFrom: Timestamp | null
  readonly rejectedAt: Timestamp | null
  readonly rejectedReason: string | null
  readonly createdAt: Timestamp
}

/** The group of all destinations of a tenant. */
export const destinationGroup = "all"

/** Where a destination stands. One that was replaced or rejected never receives again: it would have to be proposed anew. */
export type DestinationState = "PROPOSED" | "COOLING" | "RECEIVING" | "REPLACED" | "REJECTED"

/** Whether its waiting time was over before anybody rejected it: from then on it has taken the place of those before. */
const tookPlace = ({ rejectedAt, usableFrom }: Destination, now: Timestamp): boolean =>
  usableFrom !== null && usableFrom <= now && (rejectedAt === null || usableFrom <= rejectedAt)

/** The order in which destinations take each other's place: the newest verification comes last. */
export const byVerification = (one: Destination, other: Destination): number =>
  (one.verifiedAt ?? 0) - (other.verifiedAt ?? 0) || (one.id < other.id ? -1 : 1)

/** The newest of a currency whose waiting time was over while it stood, rejected since or not. */
const inPlace = (destinations: ReadonlyArray<Destination>, currency: string, now: Timestamp): Destination | undefined =>
  destinations
    .filter((one) => one.currency === currency && tookPlace(one, now))
    .toSorted(byVerification)
    .at(-1)

/**
 * The destination of a currency that receives now, and the only rule that says so: verified, past its waiting time, not rejected,
 * and not replaced. Where the newest that came so far was rejected since, nothing receives: those before it are not revived.
 */
export const usableDestination = (
  destinations: ReadonlyArray<Destination>,
  currency: string,
  now: Timestamp
): Destination | undefined => {
  const newest = inPlace(destinations, currency, now)
  return newest?.rejectedAt === null ? newest : undefined
}

/** Where a destination stands among all of its tenant. */
export const destinationState = (
  one: Destination,
  destinations: ReadonlyArray<Destination>,
  now: Timestamp
): DestinationState => {
  if (one.rejectedAt !== null) return "REJECTED"
  if (one.verifiedAt === null) return "PROPOSED"
  const newest = inPlace(destinations, one.currency, now)
  if (newest?.id === one.id) return "RECEIVING"
  return newest !== undefined && byVerification(one, newest) < 0 ? "REPLACED" : "COOLING"
}

/** The one destination of each currency that is shown: the one that receives; where none does, the newest proposal. `stateOf` says where each stands. */
export const shownDestinations = (
  destinations: ReadonlyArray<Destination>,
  now: Timestamp,
  stateOf: (one: Destination) => DestinationState = (one) => destinationState(one, destinations, now)
): ReadonlyArray<Destination> => {
  const receiving = new Map(
    destinations.flatMap((one) => (stateOf(one) === "RECEIVING" ? [[one.currency, one] as const] : []))
  )
  const shown = new Map<string, Destination>()
  for (const one of destinations.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)))
    if (!receiving.has(one.currency) || receiving.get(one.currency) === one) shown.set(one.currency, one)
  return [...shown.values()].toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
}

/** The destinations of a tenant are one group. */
export const Destination = defineRecord<Destination>({
  name: "Destination",
  key: ({ id }) => id,
  group: () => destinationGroup
})
