import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { floatBalances } from "../../wire/floatBalances.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"

/** GET /v1/float: every currency that the tenant has ever had a balance in. */
export const float = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownIn } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "register", "float", () =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const found = yield* orUnavailable(queries.float(TenantId(tenantId)))
      const shown = yield* orUnavailable(shownIn(found.map(({ currency }) => currency)))
      return { currencies: floatBalances(found, shown) }
    })
  )
})
