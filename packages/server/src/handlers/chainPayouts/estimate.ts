import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { toIso } from "@bursar/core/base/Timestamp"
import { outOfReach } from "@bursar/core/environment/reach"
import { Usage } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import { estimatePayout } from "@bursar/core/payout/estimatePayout"
import { FeeRule } from "@bursar/core/pricing/FeeRule"
import type { PayoutLimits } from "@bursar/core/limit/payoutLimits"
import { payoutScope } from "@bursar/core/limit/limitedUsage"
import type { FeeEstimate } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { marketData } from "../../marketData.ts"
import { orUnavailable } from "../../refusals.ts"
import { money, moneyOrNull } from "../../wire/money.ts"
import { usdFigure, usdFigureOrNull } from "../../wire/usd.ts"
import { type AskedEstimate, atLeastOne, makeReadEstimate } from "./readEstimate.ts"
import { switchedOffNow } from "./terms.ts"
import { firstWallet, PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

const limitsToWire = ({ daily, newAddressDaily, perPayout, reviewFrom }: PayoutLimits, used: bigint) => ({
  per_payout_usd: usdFigureOrNull(perPayout),
  daily_usd: usdFigureOrNull(daily),
  daily_used_usd: usdFigure(used),
  new_address_daily_usd: usdFigureOrNull(newAddressDaily),
  review_at_or_above_usd: usdFigureOrNull(reviewFrom)
})

/** What is known of a payment of which no node is asked. */
const untold: FeeEstimate = { fee: null, recipientHoldsAsset: null, assumedWorstCase: false }

/** What the world outside says of a payout that is thought of. No node of a network out of the tenant's reach is asked. */
const makeAsk = Effect.gen(function* () {
  const switchedOff = yield* switchedOffNow
  const { usd } = yield* marketData
  return Effect.fnUntraced(function* (
    tenant: Tenant,
    { amount, currency, native, network, to }: AskedEstimate,
    wallets: ReadonlyArray<PayoutWallet>
  ) {
    const from = firstWallet(wallets)?.address ?? null
    const { contract } = currency.asset
    const found =
      outOfReach(tenant, network.traits) === undefined
        ? yield* network.sender.estimate({ from, to, contract, units: atLeastOne(amount) })
        : untold
    const codes = [...new Set([currency.code, native.code])]
    const prices = yield* Effect.forEach(codes, (code) => Effect.map(usd(code), (price) => [code, price] as const))
    return {
      ...found,
      networkFee: found.fee === null ? null : of(found.fee, native.code),
      usd: new Map(prices),
      switchedOff: yield* switchedOff(network.traits.name)
    }
  })
})

/**
 * GET /v1/chain-payouts/estimate: what a payout would cost, and whether it could be made (`estimatePayout`). Reserves and writes
 * nothing; what is not known is null, and the currencies are named in which a figure in US dollars could not be told.
 */
export const estimate = Effect.gen(function* () {
  const queries = yield* Queries
  const { currencies, defaultFees: defaults = [] } = yield* ServerConfig
  const read = yield* makeReadEstimate
  const ask = yield* makeAsk

  return HttpApiBuilder.handler(PartnerApi, "chainPayouts", "estimate", ({ query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const { tenant } = yield* CurrentRequest
      if (tenant === null) return yield* apiError("not_found")
      const asked = yield* read(tenantId, query)
      const { amount, currency, native } = asked
      const { name: network } = asked.network.traits
      const wallets = yield* orUnavailable(queries.records(tenantId, PayoutWallet, network))
      const said = yield* ask(tenant, asked, wallets)
      const now = yield* Clock.currentTimeMillis
      const known = estimatePayout({
        tenant,
        network,
        currency,
        units: amount.units,
        wallets,
        switchedOff: said.switchedOff,
        fees: { own: yield* orUnavailable(queries.records(tenantId, FeeRule)), defaults, now },
        usage: yield* orUnavailable(queries.record(tenantId, Usage, payoutScope)),
        usd: said.usd,
        networkFee: said.networkFee,
        native,
        currencies
      })
      return {
        network,
        currency: currency.code,
        amount: money(currencies, amount.units, amount.currency),
        fee: money(currencies, known.fee.units, known.fee.currency),
        fee_usd: usdFigureOrNull(known.feeUsd),
        network_fee: moneyOrNull(currencies, said.networkFee),
        network_fee_usd: usdFigureOrNull(known.networkFeeUsd),
        // the service pays for the network and books it as its own cost
        network_fee_charged_to_you: false,
        recipient_holds_asset: said.recipientHoldsAsset,
        assumed_worst_case: said.assumedWorstCase,
        total_usd: usdFigureOrNull(known.totalUsd),
        usd_unavailable: known.usdUnavailable,
        payouts_enabled: known.offReason === null,
        payouts_disabled_reason: known.offReason,
        limits: limitsToWire(known.limits, known.dailyUsed),
        estimated_at: toIso(now)
      }
    })
  )
})
