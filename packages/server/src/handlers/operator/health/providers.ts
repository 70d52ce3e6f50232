import { OperatorApi } from "@bursar/api/OperatorApi"
import type { OperatorProvider } from "@bursar/api/operator/OperatorProvider"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import type { Environment } from "@bursar/core/base/Environment"
import { toIso } from "@bursar/core/base/Timestamp"
import { Custodian } from "@bursar/core/port/Custodian"
import { allCustodians, allFiatProviders, allIdentityProviders } from "@bursar/core/port/EarlierProviders"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { type NetworkSwitch, NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { providerPlace } from "@bursar/core/reconciliation/Place"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../../refusals.ts"

/** How far back operations are looked at. */
const recentMs = 86_400_000

interface Provider extends Pick<OperatorProvider, "does" | "takes_new"> {
  readonly name: string
  readonly environment: Environment
  readonly place: string | null
}

interface Named {
  readonly name: string
  readonly environment: Environment
}

const described = (
  does: Provider["does"],
  all: ReadonlyArray<Named>,
  newest: Option.Option<Named>
): ReadonlyArray<Provider> =>
  all.map(({ environment, name }) => ({
    name,
    environment,
    does,
    takes_new: Option.exists(newest, (one) => one.name === name),
    place: does === "identity" ? null : providerPlace(does === "custody" ? "custodian" : "bank", name).name
  }))

const stopOf = (switches: ReadonlyArray<NetworkSwitch>, place: string | null): OperatorProvider["stopped"] => {
  const found = switches.find(({ network, payoutsOff }) => payoutsOff && network === place)
  return found === undefined ? null : { reason: found.reason ?? "", by: found.changedBy, at: toIso(found.changedAt) }
}

/** GET /operator/v1/providers: who is configured, what is stopped, and how their newest operations stand. */
export const providers = Effect.gen(function* () {
  const queries = yield* Queries
  const switching = yield* NetworkSwitches
  const all = [
    ...described("custody", yield* allCustodians, yield* Effect.serviceOption(Custodian)),
    ...described("fiat", yield* allFiatProviders, yield* Effect.serviceOption(FiatProvider)),
    ...described("identity", yield* allIdentityProviders, yield* Effect.serviceOption(IdentityProvider))
  ]

  const recentOf = Effect.fnUntraced(function* (provider: string) {
    const since = (yield* Clock.currentTimeMillis) - recentMs
    const limit = listLimits.operatorLists.maximum
    const listed = yield* orUnavailable(queries.listedOperations({ provider, since, order: "newest", limit }))
    // one that cannot be read is logged, and keeps nobody from stopping a provider
    const found = listed.filter(isReadable)
    return {
      operations: listed.length,
      settled: found.filter(({ status }) => status === "SETTLED").length,
      failed: found.filter(({ status }) => status === "FAILED" || status === "RETURNED").length,
      unresolved: found.filter(({ unresolved }) => unresolved).length
    }
  })

  return HttpApiBuilder.handler(OperatorApi, "health", "providers", () =>
    Effect.gen(function* () {
      const switches = yield* orUnavailable(switching.all)
      const shown = yield* Effect.forEach(all, (one) =>
        Effect.map(one.does === "identity" ? Effect.succeed(null) : recentOf(one.name), (recent): OperatorProvider => ({
          ...one,
          stopped: stopOf(switches, one.place),
          recent
        }))
      )
      return { providers: shown }
    })
  )
})
