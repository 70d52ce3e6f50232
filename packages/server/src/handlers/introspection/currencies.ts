import { PartnerApi } from "@bursar/api/PartnerApi"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Currency } from "@bursar/core/money/Currency"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import type { CustodianAsset } from "@bursar/core/port/Custodian"
import { Networks } from "@bursar/core/port/Networks"
import { type NetworkSwitch, NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { marketData } from "../../marketData.ts"
import { orUnavailable } from "../../refusals.ts"

/** GET /v1/currencies: every currency, and what can be done with it now. */
export const currencies = Effect.gen(function* () {
  const { enabled } = yield* Networks
  const { currencies: table, payoutsOff = [] } = yield* ServerConfig
  const switches = yield* NetworkSwitches
  const { custodian, usd } = yield* marketData

  const assets: Effect.Effect<ReadonlyArray<CustodianAsset> | null> = Option.match(custodian, {
    onNone: () => Effect.succeed(null),
    onSome: ({ assets: read }) => Effect.catchTag(read, "ProviderError", () => Effect.succeed(null))
  })

  const isOn = (switched: ReadonlyArray<NetworkSwitch>, { asset }: Currency): boolean =>
    asset !== null && enabled.includes(asset.network) && switchedOffForAll(switched, payoutsOff, asset.network) === null

  return HttpApiBuilder.handler(PartnerApi, "introspection", "currencies", () =>
    Effect.gen(function* () {
      const listed = yield* assets
      const switched = yield* orUnavailable(switches.all)
      const all = yield* Effect.forEach(
        table.all,
        (currency) =>
          Effect.map(usd(currency.code), (price) => ({
            code: currency.code,
            name: currency.name,
            kind: currency.kind,
            network: currency.asset?.network ?? null,
            custodian_lists: listed === null ? null : listed.some((asset) => asset.currency === currency.code),
            priced: price !== null,
            payable_out: isOn(switched, currency)
          })),
        { concurrency: 16 }
      )
      return { currencies: all, custodian_read: listed !== null, as_of: toIso(yield* Clock.currentTimeMillis) }
    })
  )
})
