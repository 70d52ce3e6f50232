import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { IntakeCost } from "@bursar/api/wire/IntakeCost"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { toIso } from "@bursar/core/base/Timestamp"
import { format } from "@bursar/core/money/Amount"
import { type CurrencyTable, decimalsOf } from "@bursar/core/money/Currency"
import { Queries } from "@bursar/core/store/Queries"
import { IntakeCost as Measured } from "@bursar/core/sweep/IntakeCost"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { usdFigure } from "../../wire/usd.ts"

const nothing: IntakeCost = {
  measurable: false,
  reason: "Nothing has been swept from addresses of this tenant yet, so there is nothing to measure.",
  currencies: []
}

const toWire = (
  { native, count, currency, feeUnits, since, until, usdCents }: Measured,
  currencies: CurrencyTable
): IntakeCost["currencies"][number] => ({
  currency,
  count,
  network_fees: [
    {
      currency: native,
      amount: format(feeUnits, decimalsOf(currencies, native)),
      usd: usdCents === null ? null : usdFigure(usdCents)
    }
  ],
  since: toIso(since),
  until: toIso(until)
})

/** GET /v1/custody/intake-cost: what networks took for bringing in deposits, by currency, the most recently swept first. */
export const intakeCost = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownIn } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "register", "intakeCost", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const measured = yield* orUnavailable(queries.records(TenantId(tenantId), Measured))
      if (measured.length === 0) return nothing
      const shown = yield* orUnavailable(shownIn(measured.map(({ native }) => native)))
      const recent = measured.toSorted((one, other) => other.until - one.until)
      return {
        measurable: true,
        reason: null,
        currencies: recent.slice(0, query.limit ?? listLimits.intakeCost.default).map((one) => toWire(one, shown))
      }
    })
  )
})
