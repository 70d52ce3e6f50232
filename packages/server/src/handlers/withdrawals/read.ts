import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Usage } from "@bursar/core/limit/Usage"
import { withdrawalLimitAt } from "@bursar/core/limit/withdrawalLimit"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { withdrawalScope } from "@bursar/core/limit/limitedUsage"
import { shownDestinations, Destination } from "@bursar/core/destination/Destination"
import { destinationStateByGrants } from "@bursar/core/grant/destinationByGrants"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { showWhole } from "../../operationsApart.ts"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { usdFigure } from "../../wire/usd.ts"
import { statusFilter } from "../statusFilter.ts"
import { destinationToWire, toWire } from "./toWire.ts"

/** GET /v1/withdrawals: newest first. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "withdrawals", "list", ({ query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const status = yield* statusFilter(query.status)
      const limit = query.limit ?? listLimits.withdrawals.default
      const found = yield* orUnavailable(queries.listedRegister(tenantId, { kind: "WITHDRAWAL", status, limit }))
      const shown = yield* orUnavailable(shownOf(found.filter(isReadable)))
      return yield* showWhole(found, (operation) => Effect.sync(() => toWire(operation, shown)))
    })
  )
})

/** GET /v1/withdrawals/{withdrawal_id}. */
export const get = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "withdrawals", "get", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const operation = yield* orUnavailable(queries.operation(tenantId, params.withdrawal_id))
      if (operation?.kind !== "WITHDRAWAL") return yield* apiError("not_found")
      return toWire(operation, yield* orUnavailable(shownOf([operation])))
    })
  )
})

/** What a tenant may withdraw within the window, has withdrawn, and may still, in US cents. */
export const withdrawalLimit = Effect.fnUntraced(function* (queries: Queries["Service"], tenant: Tenant) {
  const usage = yield* orUnavailable(queries.record(tenant.id, Usage, withdrawalScope))
  return withdrawalLimitAt(tenant.policy, usage, yield* Clock.currentTimeMillis)
})

/** GET /v1/withdrawals/limit: the rolling limit. */
export const limit = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "withdrawals", "limit", () =>
    Effect.gen(function* () {
      const { tenant } = yield* CurrentRequest
      if (tenant === null) return yield* apiError("not_found")
      const { limit: most, remaining, spent } = yield* withdrawalLimit(queries, tenant)
      return { limit_usd: usdFigure(most), spent_usd: usdFigure(spent), remaining_usd: usdFigure(remaining) }
    })
  )
)

/** GET /v1/destinations: one address per currency, the one that receives; where none does, the newest proposal. */
export const destinations = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "withdrawals", "destinations", () =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const all = yield* orUnavailable(queries.records(tenantId, Destination))
      const now = yield* Clock.currentTimeMillis
      const ruling = yield* orUnavailable(rulingOf(tenantId))
      const stateOf = (one: Destination) => destinationStateByGrants(ruling, one, { all, now })
      return shownDestinations(all, now, stateOf).map((one) => destinationToWire(one, stateOf(one)))
    })
  )
)
