import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { toIso } from "@bursar/core/base/Timestamp"
import { Queries } from "@bursar/core/store/Queries"
import { FeeRule } from "@bursar/core/pricing/FeeRule"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { inReach } from "../../inReach.ts"
import { marketData } from "../../marketData.ts"
import { orUnavailable, refusalError } from "../../refusals.ts"
import { amountOrNothing } from "../../wire/amountIn.ts"
import { money, moneyOrNull } from "../../wire/money.ts"
import { usdFigureOrNull } from "../../wire/usd.ts"
import { Destination } from "@bursar/core/destination/Destination"
import { estimateWithdrawal } from "@bursar/core/withdrawal/estimateWithdrawal"

/**
 * GET /v1/withdrawals/estimate: what a withdrawal would cost. What is not known is null, with the currencies that have no price.
 * Without an amount it is for nothing: it tells what is charged whatever the amount.
 */
export const estimate = Effect.gen(function* () {
  const queries = yield* Queries
  const { currencies, defaultFees: defaults = [] } = yield* ServerConfig
  const { custodian: configured, usd } = yield* marketData
  /** The currency that is named; where none is, the first that the tenant may withdraw, else the first that is on a network. */
  const currencyOf = Effect.fnUntraced(function* (tenantId: TenantId, named: string | undefined) {
    if (named !== undefined) return currencies.byCode(named)
    const destinations = yield* orUnavailable(queries.records(tenantId, Destination))
    const verified = destinations.find(({ rejectedAt, verifiedAt }) => verifiedAt !== null && rejectedAt === null)
    return verified === undefined
      ? currencies.all.find(({ asset }) => asset !== null)
      : currencies.byCode(verified.currency)
  })

  return HttpApiBuilder.handler(PartnerApi, "withdrawals", "estimate", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId: id, tenantKind } = yield* Caller
      const tenantId = TenantId(id)
      const custodian = inReach(configured, tenantKind)
      const currency = yield* currencyOf(tenantId, query.currency)
      if (currency === undefined || currency.asset === null) return yield* apiError("unsupported_asset")
      const parsed = amountOrNothing(currencies, query.amount, currency)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const amount = parsed.success
      const { network } = currency.asset
      const networkFee = Option.isNone(custodian) ? null : yield* custodian.value.withdrawalFee(currency.code, network)
      const codes = [...new Set([currency.code, networkFee?.currency ?? currency.code])]
      const prices = yield* Effect.forEach(codes, (code) => Effect.map(usd(code), (price) => [code, price] as const))
      const now = yield* Clock.currentTimeMillis
      const known = estimateWithdrawal({
        currency,
        units: amount.units,
        network,
        fees: { own: yield* orUnavailable(queries.records(tenantId, FeeRule)), defaults, now },
        networkFee,
        networkFeeBorneBy: Option.isNone(custodian) ? "SERVICE" : custodian.value.networkFeeBorneBy,
        usd: new Map(prices),
        currencies
      })
      return {
        amount: money(currencies, amount.units, amount.currency),
        fee: money(currencies, known.fee.units, known.fee.currency),
        fee_usd: usdFigureOrNull(known.feeUsd),
        network_fee: moneyOrNull(currencies, networkFee),
        network_fee_usd: usdFigureOrNull(known.networkFeeUsd),
        amount_received: moneyOrNull(currencies, known.received),
        usd_unavailable: known.usdUnavailable,
        estimated_at: toIso(now)
      }
    })
  )
})
