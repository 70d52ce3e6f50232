import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { CategoryTotal } from "@bursar/api/wire/Register"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type CategoryTotal as Total, Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { isoOrNull, momentOrUndefined } from "../../wire/moment.ts"
import { money } from "../../wire/money.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"

const toWire = (
  { count, currency, feeUnits, kind, status, units }: Total,
  currencies: CurrencyTable
): CategoryTotal => ({
  kind,
  currency,
  status,
  count,
  amount: money(currencies, units, currency),
  customer_fee: money(currencies, feeUnits, currency)
})

/** GET /v1/register/summary: counts and sums of the operations of a period. */
export const summary = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownIn } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "register", "summary", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const since = momentOrUndefined(query.since)
      const until = momentOrUndefined(query.until)
      const totals = yield* orUnavailable(queries.summary(TenantId(tenantId), { since, until }))
      const shown = yield* orUnavailable(shownIn(totals.map(({ currency }) => currency)))
      return {
        since: isoOrNull(since),
        until: isoOrNull(until),
        totals: totals.map((total) => toWire(total, shown))
      }
    })
  )
})
