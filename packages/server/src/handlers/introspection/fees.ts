import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Queries } from "@bursar/core/store/Queries"
import { ranked, FeeRule } from "@bursar/core/pricing/FeeRule"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { orUnavailable } from "../../refusals.ts"
import { feeSchedule } from "../../wire/feeSchedule.ts"

/** GET /v1/fees: the rules in force, in the order in which they are tried. */
export const fees = Effect.gen(function* () {
  const queries = yield* Queries
  const { defaultFees = [] } = yield* ServerConfig
  return HttpApiBuilder.handler(PartnerApi, "introspection", "fees", () =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const own = yield* orUnavailable(queries.records(tenantId, FeeRule))
      return {
        fees: ranked(own, defaultFees, yield* Clock.currentTimeMillis).map(feeSchedule)
      }
    })
  )
})
