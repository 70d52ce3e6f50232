import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { FloatMovement } from "@bursar/api/wire/Float"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { legMomentToIso, parseLegMoment } from "@bursar/core/ledger/LegMoment"
import { signedDelta } from "@bursar/core/ledger/post"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Queries, type StatementPage } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { money } from "../../wire/money.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"

const words = (code: string): string => code.toLowerCase().replaceAll("_", " ")

/** `Chain payout: hold`, or the kind alone where the leg is its principal or of the same name. */
const describe = ({ leg, operation }: StatementPage["movements"][number]): string => {
  const kind = words(operation.kind)
  const what = words(leg.what)
  const title = kind.charAt(0).toUpperCase() + kind.slice(1)
  return what === "principal" || what === kind ? title : `${title}: ${what}`
}

const toWire = (movement: StatementPage["movements"][number], currencies: CurrencyTable): FloatMovement => {
  const { leg, nth, operation } = movement
  return {
    posted_at: legMomentToIso({ at: leg.postedAt, nth }),
    amount: money(currencies, signedDelta(leg), leg.currency),
    balance: money(currencies, leg.balance, leg.currency),
    description: describe(movement),
    operation_id: operation.id,
    kind: operation.kind,
    reference: operation.partnerReference
  }
}

/** GET /v1/float/statement: the movements of the available balance in one currency, oldest first. */
export const statement = Effect.gen(function* () {
  const queries = yield* Queries
  const { isKnown, shownIn } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "register", "statement", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const { currency } = query
      if (!(yield* orUnavailable(isKnown(currency)))) return yield* apiError("unsupported_asset")
      const page = yield* orUnavailable(
        queries.statement(TenantId(tenantId), {
          currency,
          since: query.since === undefined ? undefined : parseLegMoment(query.since),
          until: query.until === undefined ? undefined : parseLegMoment(query.until),
          limit: query.limit ?? listLimits.statement.default
        })
      )
      const shown = yield* orUnavailable(shownIn([currency]))
      return {
        currency,
        opening_balance: money(shown, page.opening, currency),
        closing_balance: money(shown, page.closing, currency),
        movements: page.movements.map((movement) => toWire(movement, shown)),
        truncated: page.truncated
      }
    })
  )
})
