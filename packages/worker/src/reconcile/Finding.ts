import type { Joined } from "@bursar/core/reconciliation/carryBreaks"
import type { Comparison } from "@bursar/core/reconciliation/judgeDifference"
import type { Movement } from "@bursar/core/reconciliation/Movement"
import { type Place, positionKey } from "@bursar/core/reconciliation/Place"
import type { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import type { Timestamp } from "@bursar/core/base/Timestamp"

/** What one look at a place has found of a currency. */
export interface Finding {
  readonly place: Place
  readonly currency: string
  readonly at: Timestamp
  readonly block: PlaceObservation["block"]
  readonly ledger: bigint
  /** Null where whoever keeps the place tells no balance. */
  readonly found: Comparison | null
  /** What is in flight there, each movement by itself. */
  readonly movements: ReadonlyArray<Movement>
  /** What was a holding by itself and is a part of this one: its breaks are counted here before this is judged. */
  readonly joined?: ReadonlyArray<Omit<Joined, "place">>
}

/** What a finding is of. */
export const keyOf = ({ currency, place }: Pick<Finding, "currency" | "place">): string =>
  positionKey(place.name, currency)
