import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import type { PlaceStop } from "@bursar/api/operator/OperatorReconciliation"
import { toIso } from "@bursar/core/base/Timestamp"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { stopNameOf } from "@bursar/core/operation/placeStops"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { momentOrUndefined } from "../../../wire/moment.ts"
import { aloneHere } from "../grants/alone.ts"
import { providerPlaces } from "../providerPlaces.ts"
import { refuseOtherStop } from "../refuseOtherStop.ts"

interface AtPlace {
  readonly params: { readonly place: string }
}

/** Stops of places: one person stops, and a stop ends by an approver, or by a grant where the service goes by grants. */
export const stopHandlers = Effect.gen(function* () {
  const writer = yield* Writer
  const switching = yield* NetworkSwitches
  const alone = yield* aloneHere
  const { currencies, payoutsOff = [] } = yield* ServerConfig
  const isPlace = yield* providerPlaces
  const refuseOther = yield* refuseOtherStop

  const stops = Effect.map(orUnavailable(switching.all), (all) =>
    all
      .filter((one) => one.payoutsOff)
      .map((one): PlaceStop => ({
        stopped: one.network,
        reason: one.reason ?? "",
        by: one.changedBy,
        at: toIso(one.changedAt)
      }))
  )

  /** What a stop of a place is a stop of. A name of no place would stop nothing, and whoever gave it would believe that it did. */
  const nameOf = Effect.fnUntraced(function* (place: string) {
    const name = stopNameOf(place)
    const isKnown = currencies.networks.has(name) || (yield* isPlace(name))
    return isKnown ? name : yield* apiError("not_found", { message: `There is no place ${place}.` })
  })

  return {
    stops,
    stopPlace: Effect.fnUntraced(function* ({
      params,
      payload: { reason }
    }: AtPlace & { readonly payload: { readonly reason: string } }) {
      const name = yield* nameOf(params.place)
      const { name: by } = yield* Operator
      yield* submit(writer, fleetTenantId, switchNetwork(name, reason, by))
      yield* alone.lowered(null, { _tag: "Stopped", network: name, reason: `Stopped by ${by}.` })
      return { stops: yield* stops }
    }),
    resumePlace: Effect.fnUntraced(function* ({
      params,
      query
    }: AtPlace & { readonly query: { readonly stopped_at?: string } }) {
      const name = yield* nameOf(params.place)
      if (payoutsOff.includes(name))
        return yield* apiError("state_conflict", { message: `PAYOUTS_OFF has ${name} in the configuration.` })
      const stoppedAt = momentOrUndefined(query.stopped_at)
      yield* refuseOther(name, stoppedAt)
      yield* alone.refuse({ kind: "network", values: { network: name, stopped: false, reason: "" } }, null)
      const { name: by } = yield* Operator
      yield* submit(writer, fleetTenantId, switchNetwork(name, null, by, stoppedAt))
      return { stops: yield* stops }
    })
  }
})
