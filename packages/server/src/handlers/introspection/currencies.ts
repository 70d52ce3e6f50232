import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { toIso } from "@bursar/core/base/Timestamp"
import { outOfReach } from "@bursar/core/environment/reach"
import type { Currency } from "@bursar/core/money/Currency"
import { usdPrice } from "@bursar/core/money/usdPrice"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import { Networks } from "@bursar/core/port/Networks"
import { type NetworkSwitch, NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { inReach } from "../../inReach.ts"
import { marketData } from "../../marketData.ts"
import { providers } from "../../providers.ts"
import { orUnavailable } from "../../refusals.ts"

/** GET /v1/currencies: every currency, and what the tenant can do with it now. */
export const currencies = Effect.gen(function* () {
  const networks = yield* Networks
  const { currencies: table, payoutsOff = [] } = yield* ServerConfig
  const switches = yield* NetworkSwitches
  const { custodian, usd } = yield* marketData
  const { fiat } = yield* providers

  /** What the custodian lists; null where the tenant has none, or it cannot be read. */
  const assetsFor = (kind: TenantKind) =>
    Option.match(inReach(custodian, kind), {
      onNone: () => Effect.succeed(null),
      onSome: ({ assets }) => Effect.catchTag(assets, "ProviderError", () => Effect.succeed(null))
    })

  /** Fiat is paid by the provider; all else by chain payouts, on a network that is on and in reach, and where they are not switched off. */
  const isPaidOut = (kind: TenantKind, switched: ReadonlyArray<NetworkSwitch>, { asset }: Currency): boolean => {
    if (asset === null) return Option.isSome(inReach(fiat, kind))
    const adapter = networks.get(asset.network)
    if (adapter === undefined || outOfReach({ kind }, adapter.traits) !== undefined) return false
    return switchedOffForAll(switched, payoutsOff, asset.network) === null
  }

  return HttpApiBuilder.handler(PartnerApi, "introspection", "currencies", () =>
    Effect.gen(function* () {
      const { tenantKind: kind } = yield* Caller
      const listed = yield* assetsFor(kind)
      const switched = yield* orUnavailable(switches.all)
      const now = yield* Clock.currentTimeMillis
      const all = yield* Effect.forEach(
        table.all,
        (currency) =>
          Effect.map(usd(currency.code), (price) => ({
            code: currency.code,
            name: currency.name,
            kind: currency.kind,
            network: currency.asset?.network ?? null,
            custodian_lists: listed === null ? null : listed.some((asset) => asset.currency === currency.code),
            priced: usdPrice(currency, price, now) !== null,
            payable_out: isPaidOut(kind, switched, currency)
          })),
        { concurrency: 16 }
      )
      return { currencies: all, custodian_read: listed !== null, as_of: toIso(now) }
    })
  )
})
