import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { toIso } from "@bursar/core/engine/Timestamp"
import { usedCents } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import { freshPrice } from "@bursar/core/money/freshPrice"
import { usdCents } from "@bursar/core/money/Rate"
import { payoutsOffReason } from "@bursar/core/payout/createPayout"
import { type PayoutLimits, payoutLimitsOf } from "@bursar/core/payout/payoutLimits"
import { type PayoutWish, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { payoutScope, payoutWindowMs } from "@bursar/core/payout/payoutUsage"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { ChainSenders, type FeeEstimate } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { market } from "../../market.ts"
import { reading, refusalError } from "../../refusals.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { money, moneyOrNull } from "../../wire/money.ts"
import { usdFigure, usdOf } from "../../wire/usd.ts"
import { switchedOn, unknownNetwork } from "../network.ts"
import { payoutFee, switchedOffNow } from "./terms.ts"

const nothingKnown: FeeEstimate = { fee: null, recipientHoldsAsset: null, assumedWorstCase: false }

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
 * known is null, and the currencies are named in which a figure in US dollars could not be told.
 */
export const estimate = Effect.gen(function* () {
  const formats = yield* AddressFormats
  const queries = yield* Queries
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const switchedOff = yield* switchedOffNow
  const { usd } = yield* market
  const senders = yield* Effect.serviceOption(ChainSenders)

  /** The receiver in its canonical form, if one is named: refused is what a payout to it would be refused for. */
  const receiverOf = (address: string | undefined, wish: Pick<PayoutWish, "amount" | "network">) =>
    address === undefined
      ? Result.succeed(null)
      : Result.map(
          readPayoutOrder({ ...wish, destination: { address, memo: null } }, currencies, formats),
          ({ to: canonical }) => canonical
        )

  return HttpApiBuilder.handler(PartnerApi, "chainPayouts", "estimate", ({ query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const { tenant } = yield* CurrentRequest
      if (tenant === null) return yield* apiError("not_found")
      const wanted = query.currency === undefined ? undefined : currencies.byCode(query.currency)
      const networkName = query.network ?? wanted?.asset?.network
      if (networkName === undefined || query.amount === undefined)
        return yield* apiError("invalid_request", {
          message: "An estimate needs an amount, and a currency or a network."
        })
      const network = switchedOn(formats.enabled, networkName)
      if (network === undefined) return yield* refusalError(unknownNetwork(networkName))
      const coin = currencies.byAsset(network, null)
      const currency = query.currency === undefined ? coin : wanted
      if (currency === undefined || coin === undefined || currency.asset?.network !== network)
        return yield* apiError("unsupported_asset", {
          message: `${query.currency ?? "?"} is not an asset of ${network}.`
        })
      const parsed = amountIn(currencies, { amount: query.amount, currency: currency.code })
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const amount = parsed.success
      const to = receiverOf(query.address, { network, amount: { amount: query.amount, currency: currency.code } })
      if (Result.isFailure(to)) return yield* refusalError(to.failure)

      const now = yield* Clock.currentTimeMillis
      const order = { currency: currency.code, network, units: amount.units }
      const fee = of((yield* payoutFee(queries, tenantId, order, currencies, defaultFees, now)).units, currency.code)
      const wallets = yield* reading(queries.records(tenantId, "PayoutWallet", network))
      const from = wallets.find(({ role }) => role === "PAYOUT")?.address ?? null
      const sender = Option.flatMapNullishOr(senders, (all) => all.get(network))
      const found = Option.isNone(sender)
        ? nothingKnown
        : yield* sender.value.estimate({ from, to: to.success, contract: currency.asset.contract, units: amount.units })
      const networkFee = found.fee === null ? null : of(found.fee, coin.code)
      const price = freshPrice(yield* usd(currency.code), now)
      const coinPrice = coin.code === currency.code ? price : freshPrice(yield* usd(coin.code), now)
      const off = payoutsOffReason({ tenant }, network, wallets, yield* switchedOff(network))
      const usage = yield* reading(queries.record(tenantId, "Usage", payoutScope))
      const total = price === null ? null : usdCents(amount.units + fee.units, currency, price.price)
      const networkFeeUsd = usdOf(currencies, networkFee, coinPrice)
      const unpriced = [...(price === null ? [currency.code] : []), ...(networkFeeUsd === null ? [coin.code] : [])]
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
