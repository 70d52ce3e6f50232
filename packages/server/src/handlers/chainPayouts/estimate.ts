import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { toIso } from "@bursar/core/base/Timestamp"
import { usedCents, Usage } from "@bursar/core/limit/Usage"
import { format, of } from "@bursar/core/money/Amount"
import { usdCents } from "@bursar/core/money/Rate"
import { payoutsOffReason } from "@bursar/core/payout/createPayout"
import { type PayoutLimits, payoutLimitsOf } from "@bursar/core/limit/payoutLimits"
import { type PayoutRequest, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { payoutScope, payoutWindowMs } from "@bursar/core/limit/limitedUsage"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { marketData } from "../../marketData.ts"
import { orUnavailable, refusalError } from "../../refusals.ts"
import { amountOrNothing } from "../../wire/amountIn.ts"
import { money, moneyOrNull } from "../../wire/money.ts"
import { usdFigure, usdOf } from "../../wire/usd.ts"
import { unknownNetwork } from "../network.ts"
import { payoutFee, switchedOffNow } from "./terms.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

const figure = (cents: bigint | null): string | null => (cents === null ? null : usdFigure(cents))

const limitsToWire = ({ daily, newAddressDaily, perPayout, reviewFrom }: PayoutLimits, used: bigint) => ({
  per_payout_usd: figure(perPayout),
  daily_usd: figure(daily),
  daily_used_usd: usdFigure(used),
  new_address_daily_usd: figure(newAddressDaily),
  review_at_or_above_usd: figure(reviewFrom)
})

/**
 * GET /v1/chain-payouts/estimate: what a payout would cost, and whether it could be made. Reserves and writes nothing; what is not
 * known is null, and the currencies are named in which a figure in US dollars could not be told. What is not named is as in
 * `networkOf`, the network's coin, and an amount of nothing: then it tells what is charged whatever the amount.
 */
export const estimate = Effect.gen(function* () {
  const networks = yield* Networks
  const queries = yield* Queries
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const switchedOff = yield* switchedOffNow
  const { usd } = yield* marketData

  /** The receiver in its canonical form, if one is named: refused is what a payout to it would be refused for. */
  const receiverOf = (address: string | undefined, request: Pick<PayoutRequest, "amount" | "network">) =>
    address === undefined
      ? Result.succeed(null)
      : Result.map(
          readPayoutOrder({ ...request, destination: { address, memo: null } }, currencies, networks),
          ({ to: canonical }) => canonical
        )

  /** The network that is named or the currency's; where neither is, the first on which the tenant could pay, else the first of all. */
  const networkOf = Effect.fnUntraced(function* (
    tenantId: TenantId,
    { currency, network: named }: { readonly network?: string; readonly currency?: string }
  ) {
    if (named === undefined && currency !== undefined) {
      const wanted = currencies.byCode(currency)?.asset?.network
      if (wanted === undefined)
        return yield* apiError("unsupported_asset", { message: `${JSON.stringify(currency)} is on no network.` })
      return networks.get(wanted) ?? (yield* refusalError(unknownNetwork(wanted)))
    }
    if (named !== undefined) return networks.get(named) ?? (yield* refusalError(unknownNetwork(named)))
    const wallets = yield* orUnavailable(queries.records(tenantId, PayoutWallet))
    const payable = networks.enabled.find((one) =>
      wallets.some(({ network, role }) => network === one && role === "PAYOUT")
    )
    return networks.get(payable ?? networks.enabled[0] ?? "") ?? (yield* apiError("unknown_network"))
  })

  return HttpApiBuilder.handler(PartnerApi, "chainPayouts", "estimate", ({ query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const { tenant } = yield* CurrentRequest
      if (tenant === null) return yield* apiError("not_found")
      const { sender, traits } = yield* networkOf(tenantId, query)
      const { name: network } = traits
      const native = currencies.byAsset(network, null)
      const currency = query.currency === undefined ? native : currencies.byCode(query.currency)
      if (currency === undefined || native === undefined || currency.asset?.network !== network)
        return yield* apiError("unsupported_asset", {
          message: `${query.currency ?? "?"} is not an asset of ${network}.`
        })
      const parsed = amountOrNothing(currencies, query.amount, currency)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const amount = parsed.success
      // nobody can be asked what it costs to pay nothing: the least is asked for
      const units = amount.units === 0n ? 1n : amount.units
      const to = receiverOf(query.address, {
        network,
        amount: { amount: format(units, currency.decimals), currency: currency.code }
      })
      if (Result.isFailure(to)) return yield* refusalError(to.failure)

      const now = yield* Clock.currentTimeMillis
      const order = { currency: currency.code, network, units: amount.units }
      const fee = of((yield* payoutFee(queries, tenantId, order, currencies, defaultFees, now)).units, currency.code)
      const wallets = yield* orUnavailable(queries.records(tenantId, PayoutWallet, network))
      const from = wallets.find(({ role }) => role === "PAYOUT")?.address ?? null
      const found = yield* sender.estimate({ from, to: to.success, contract: currency.asset.contract, units })
      const networkFee = found.fee === null ? null : of(found.fee, native.code)
      const price = yield* usd(currency.code)
      const nativePrice = native.code === currency.code ? price : yield* usd(native.code)
      const off = payoutsOffReason({ tenant }, network, wallets, yield* switchedOff(network))
      const usage = yield* orUnavailable(queries.record(tenantId, Usage, payoutScope))
      const total = price === null ? null : usdCents(amount.units + fee.units, currency, price.price)
      const networkFeeUsd = usdOf(currencies, networkFee, nativePrice)
      const unpriced = [...(price === null ? [currency.code] : []), ...(networkFeeUsd === null ? [native.code] : [])]
      return {
        network,
        currency: currency.code,
        amount: money(currencies, amount.units, amount.currency),
        fee: money(currencies, fee.units, fee.currency),
        fee_usd: usdOf(currencies, fee, price),
        network_fee: moneyOrNull(currencies, networkFee),
        network_fee_usd: networkFeeUsd,
        // the service pays for the network and books it as its own cost
        network_fee_charged_to_you: false,
        recipient_holds_asset: found.recipientHoldsAsset,
        assumed_worst_case: found.assumedWorstCase,
        total_usd: figure(total),
        usd_unavailable: [...new Set(unpriced)],
        payouts_enabled: off === undefined,
        payouts_disabled_reason: off ?? null,
        limits: limitsToWire(payoutLimitsOf(tenant.policy), usedCents(usage, payoutWindowMs, now)),
        estimated_at: toIso(now)
      }
    })
  )
})
