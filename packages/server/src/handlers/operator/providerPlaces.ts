import type { ApiError } from "@bursar/api/errors/ApiError"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { isProviderPlace } from "@bursar/core/operation/placeStops"
import { allCustodians, allFiatProviders } from "@bursar/core/port/EarlierProviders"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { booksOf } from "@bursar/core/reconciliation/statement/nameLines"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { readableRecords } from "../../readableRecords.ts"
import { orUnavailable } from "../../refusals.ts"

/** Whether a name is that of the place of a custodian or bank. */
export type IsPlace = (name: string) => Effect.Effect<boolean, ApiError>

/**
 * Knows the places of custodians and banks: those of the configuration, and those that were looked at, stopped or resumed before. A worker that was not
 * restarted yet may still send orders to one that is no longer in the configuration, and it must be possible to stop that.
 */
export const providerPlaces: Effect.Effect<IsPlace, never, Queries> = Effect.gen(function* () {
  const queries = yield* Queries
  const books = [...booksOf("custodian", yield* allCustodians), ...booksOf("bank", yield* allFiatProviders)]
  const configured = new Set(books.map(({ place }) => place))
  return Effect.fnUntraced(function* (name: string) {
    if (configured.has(name)) return true
    if (!isProviderPlace(name)) return false
    if ((yield* orUnavailable(queries.record(fleetTenantId, NetworkSwitch, name))) !== undefined) return true
    const looked = yield* readableRecords(queries, PlaceObservation)
    return looked.some(({ place }) => place === name)
  })
})
