import type { Timestamp } from "../engine/Timestamp.ts"
import type { Network } from "../money/Network.ts"

/**
 * The tenant's own address for a currency, to which it withdraws. Operators propose and verify it, never the same one; a
 * request cannot name another. The newest that is verified counts, once it has cooled.
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

/** The destination of a currency that may be paid now: the newest that is verified and has cooled, and was not rejected since. */
export const usableDestination = (
  destinations: ReadonlyArray<Destination>,
  currency: string,
  now: Timestamp
): Destination | undefined =>
  destinations
    .filter(
      (one) => one.currency === currency && one.rejectedAt === null && one.usableFrom !== null && one.usableFrom <= now
    )
    .toSorted((one, other) => (other.verifiedAt ?? 0) - (one.verifiedAt ?? 0))
    .at(0)

/** The one destination of each currency that is shown: the newest proposal. */
export const shownDestinations = (destinations: ReadonlyArray<Destination>): ReadonlyArray<Destination> => {
  const newest = new Map<string, Destination>()
  for (const one of destinations.toSorted((a, b) => a.createdAt - b.createdAt)) newest.set(one.currency, one)
  return [...newest.values()].toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
}
