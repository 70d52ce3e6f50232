import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { parse } from "@bursar/core/money/Amount"
import { railCharged } from "@bursar/core/pricing/railCharged"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { chargeOf } from "@bursar/core/pricing/charge"
import { FeeRule } from "@bursar/core/pricing/FeeRule"
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, refusalError } from "../../../refusals.ts"
import { feeSchedule } from "../../../wire/feeSchedule.ts"
import { money } from "../../../wire/money.ts"
import { findTenant } from "../found.ts"

/** GET /operator/v1/tenants/{tenant_id}/fee-simulation. */
export const simulateFee = Effect.gen(function* () {
  const queries = yield* Queries
  const tenants = yield* Tenants
  const { currencies, defaultFees = [] } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "custody", "simulateFee", ({ params, query }) =>
    Effect.gen(function* () {
      const { id } = yield* findTenant(tenants, params.tenant_id)
      const currency = currencies.byCode(query.currency)
      if (currency === undefined) return yield* apiError("unsupported_asset")
      const amount = parse(query.amount, currency)
      if (Result.isFailure(amount)) return yield* refusalError(amount.failure)
      const own = yield* orUnavailable(queries.records(id, FeeRule))
      const rules = { own, defaults: defaultFees, now: yield* Clock.currentTimeMillis }
      const { units } = amount.success
      const { product, rail: named = null } = query
      // what is paid out for a coin is not asked: its rail is known only where it is named
      const rail = railCharged({ product, named, from: currency, to: currency })
      const { fee, rule } = chargeOf(rules, { product, currency, units, rail })
      return {
        fee: money(currencies, fee.units, fee.currency),
        total: money(currencies, units + fee.units, currency.code),
        rule: rule === undefined ? null : feeSchedule(rule),
        of_service: rule !== undefined && !own.some((one) => one.id === rule.id)
      }
    })
  )
})
