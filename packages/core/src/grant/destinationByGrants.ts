import type { Timestamp } from "../base/Timestamp.ts"
import { type Destination, type DestinationState, destinationState } from "../destination/Destination.ts"
import { newestDestination } from "./GrantState.ts"
import type { Ruling } from "./Ruling.ts"

/**
 * Where a destination stands among all of its tenant, by rows and by grants: what receives by its row receives no more once a newer grant has taken
 * its place. Rows know nothing of one that was rejected within its waiting time and takes the place all the same.
 */
export const destinationStateByGrants = (
  ruling: Ruling,
  one: Destination,
  { all, now }: { readonly all: ReadonlyArray<Destination>; readonly now: Timestamp }
): DestinationState => {
  const state = destinationState(one, all, now)
  if (state !== "RECEIVING" || ruling === undefined || "_tag" in ruling) return state
  const newest = newestDestination(ruling.tenant, one.currency, now)?.values
  if (newest === undefined) return state
  if (newest.id !== one.id) return "REPLACED"
  return newest.state === "ACTIVE" ? state : "REJECTED"
}
