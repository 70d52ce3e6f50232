import { decimalsOf } from "@bursar/core/money/Currency"
import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { format } from "@bursar/core/money/Amount"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import { leastConverted } from "@bursar/core/pricing/convertible"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { inReach } from "../../inReach.ts"
import { marketData } from "../../marketData.ts"
import { showWhole } from "../../operationsApart.ts"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { statusFilter } from "../statusFilter.ts"
import { toWire } from "./toWire.ts"

/** GET /v1/swaps: newest first. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "conversions", "list", ({ query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const status = yield* statusFilter(query.status)
      const limit = query.limit ?? listLimits.swaps.default
      const found = yield* orUnavailable(queries.listedRegister(tenantId, { kind: "SWAP", status, limit }))
      const shown = yield* orUnavailable(shownOf(found.filter(isReadable)))
      return yield* showWhole(found, (operation) => Effect.sync(() => toWire(operation, shown)))
    })
  )
})

/** GET /v1/swaps/{swap_id}. */
export const get = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "conversions", "get", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const operation = yield* orUnavailable(queries.operation(tenantId, params.swap_id))
      if (operation?.kind !== "SWAP") return yield* apiError("not_found")
      return toWire(operation, yield* orUnavailable(shownOf([operation])))
    })
  )
})

/** GET /v1/pairs: what the custodian converts now, at the rate that is left after its fee. */
export const pairs = Effect.gen(function* () {
  const { currencies } = yield* ServerConfig
  const { conversionRate, custodian: configured } = yield* marketData
  return HttpApiBuilder.handler(PartnerApi, "conversions", "pairs", () =>
    Effect.gen(function* () {
      const custodian = inReach(configured, (yield* Caller).tenantKind)
      if (Option.isNone(custodian)) return { pairs: [] }
      const all = yield* Effect.catchTag(custodian.value.pairs, "ProviderError", (error) =>
        Effect.andThen(
          Effect.annotateLogs(Effect.logWarning("pairs.unreadable"), { detail: error.message }),
          Effect.fail(apiError("provider_unavailable"))
        )
      )
      const now = yield* Clock.currentTimeMillis
      const priced = yield* Effect.forEach(
        // a pair that the provider has and the service does not know is none here
        all.filter(({ from, to }) => [from, to].every((code) => currencies.byCode(code) !== undefined)),
        (pair) => {
          const { from, to } = pair
          const least = leastConverted(pair)
          return Effect.map(conversionRate(from, to), (found) =>
            found === null
              ? []
              : [
                  {
                    from_currency: from,
                    to_currency: to,
                    rate: format(found.price.units, found.price.decimals),
                    rate_age_seconds: Math.max(0, Math.floor((now - found.observedAt) / 1000)),
                    minimum: least === null ? null : format(least, decimalsOf(currencies, from))
                  }
                ]
          )
        },
        { concurrency: 16 }
      )
      return { pairs: priced.flat() }
    })
  )
})
