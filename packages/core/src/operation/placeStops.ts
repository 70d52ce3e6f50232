import type { RecordRead } from "../engine/Records.ts"
import { readFact } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Operation } from "./Operation.ts"
import { assetPlaceOf } from "./assetPlace.ts"
import { payoutsOff } from "./payoutsOff.ts"

/** Whether a name is that of a provider's place. */
export const isProviderPlace = (name: string): boolean => /^(?:custodian|bank):[\w.-]+$/u.test(name)

/** The place of a provider that an operation is to be carried out from; undefined where it is none. */
export const providerPlaceOf = (operation: Pick<Operation, "kind" | "network" | "provider">): string | undefined => {
  const account = assetPlaceOf(operation)
  if (operation.provider === null || (account !== "custodian" && account !== "bank")) return undefined
  return `${account}:${operation.provider}`
}

/** What `placeStopped` reads. */
export const placeStopReads = (
  operation: Pick<Operation, "kind" | "network" | "provider">
): ReadonlyArray<RecordRead> => {
  const place = providerPlaceOf(operation)
  return place === undefined ? [] : [readFact(payoutsOff, place)]
}

/** Why nothing is sent from the place of an operation: operators, or an alarm, have stopped it. Undefined where it is sent. */
export const placeStopped = (
  view: View,
  operation: Pick<Operation, "kind" | "network" | "provider">
): string | undefined => {
  const place = providerPlaceOf(operation)
  return place !== undefined && view.fact(payoutsOff, place) ? `${place} is stopped.` : undefined
}

/** What a stop of a place is a stop of: what stands on a network is stopped there, and a provider by the name of its place. */
export const stopNameOf = (place: string): string =>
  /^chain:(?<network>[^:]+):/u.exec(place)?.groups?.["network"] ?? place
