import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"
import { positionKey, type Place } from "./Place.ts"

/** What was found of a currency at a place, and what the books said of it. */
export interface PlaceObservation {
  /** The name of the place. */
  readonly place: string
  readonly kind: Place["kind"]
  readonly currency: string
  /** `unsupported`: whoever keeps the place tells no balance, so nothing was observed. */
  readonly observation: "observed" | "unsupported"
  /** What the books say, over all tenants. */
  readonly ledger: bigint
  /** What was found; null where nothing was observed. */
  readonly observed: bigint | null
  /** What of the difference is in flight, between what it is at least and at most. */
  readonly inFlight: bigint
  readonly inFlightLeast: bigint
  readonly inFlightMost: bigint
  /** `ledger` less `inFlight` less `observed`; null where nothing was observed. */
  readonly difference: bigint | null
  /** The newest block that was read; null where the place is on no network. */
  readonly block: { readonly number: number; readonly hash: string } | null
  readonly at: Timestamp
}

/** The newest observation of each currency at each place. */
export const PlaceObservation = defineRecord<PlaceObservation>({
  name: "PlaceObservation",
  key: ({ currency, place }) => positionKey(place, currency)
})

const dayMs = 86_400_000

/** For so long observations are kept. */
export const observationsKeptDays = 90

/** The day of a moment, in UTC: `2026-11-23`. */
export const dayOf = (at: Timestamp): string => new Date(at).toISOString().slice(0, "2026-11-23".length)

/** The group of the observations of a day. */
export const observationsOfDay = (place: string, currency: string, day: string): string =>
  `${positionKey(place, currency)}|${day}`

/** An observation that is kept for the history. */
export interface PastObservation extends PlaceObservation {
  readonly id: string
}

/** Past observations. Those of a currency at a place on a day are a group; after some months they are forgotten. */
export const PastObservation = defineRecord<PastObservation>({
  name: "PastObservation",
  key: ({ id }) => id,
  group: ({ at, currency, place }) => observationsOfDay(place, currency, dayOf(at)),
  traits: { expiresAt: ({ at }) => at + observationsKeptDays * dayMs }
})
