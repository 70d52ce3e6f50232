import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { create } from "./create.ts"
import { estimate } from "./estimate.ts"
import { toWire } from "./toWire.ts"

/** GET /v1/chain-payouts/{payout_id}. */
const get = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "chainPayouts", "get", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const operation = yield* orUnavailable(queries.operation(tenantId, params.payout_id))
      if (operation?.kind !== "CHAIN_PAYOUT") return yield* apiError("not_found")
      return toWire(operation, yield* orUnavailable(shownOf([operation])))
    })
  )
})

/** Payments to on-chain addresses. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "chainPayouts",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({ create: yield* create, estimate: yield* estimate, get: yield* get })
  })
)
