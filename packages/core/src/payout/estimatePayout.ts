import { type PayoutLimits, payoutLimitsOf } from "../limit/payoutLimits.ts"
import { payoutWindowMs } from "../limit/limitedUsage.ts"
import { type Usage, usedCents } from "../limit/Usage.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import type { Rate } from "../money/Rate.ts"
import { freshUsd, usdWorth } from "../money/usdWorth.ts"
import { chargeOf, type FeeRules } from "../pricing/charge.ts"
import { outOfReach } from "../environment/reach.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import type { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { payoutsOffReason } from "./createPayout.ts"

/** A payout that is thought of, with what is stored and what the world says at the moment. */
export interface EstimatePayout {
  readonly tenant: Tenant
  readonly network: Network
  readonly currency: Currency
  /** In base units of the currency. */
  readonly units: bigint
  /** The tenant's wallets on the network. */
  readonly wallets: ReadonlyArray<PayoutWallet>
  /** Why the service pays nothing on the network at the moment, whoever asks; null where it does. */
  readonly switchedOff: string | null
  readonly fees: FeeRules
  /** What was used of `payoutScope`. */
  readonly usage: Usage | undefined
  /** What one whole unit of the currency and of the network's native asset is worth in US dollars, as far as it is known. */
  readonly usd: ReadonlyMap<string, Rate | null>
  /** What the network takes, in its native asset; null where that is not known. */
  readonly networkFee: Amount | null
  /** The network's native asset. */
  readonly native: Currency
  readonly currencies: CurrencyTable
}

/** What a payout would cost, and whether it could be made. Figures in US dollars are in cents, null where they are not known. */
export interface PayoutEstimate {
  readonly fee: Amount
  readonly feeUsd: bigint | null
  readonly networkFeeUsd: bigint | null
  /** Amount and fee together. */
  readonly totalUsd: bigint | null
  /** The currencies for want of whose price a figure is missing. */
  readonly usdUnavailable: ReadonlyArray<string>
  /** Why payouts are off for the tenant on the network; null where they are on. */
  readonly offReason: string | null
  readonly limits: PayoutLimits
  /** What counts in the daily limit already. */
  readonly dailyUsed: bigint
}

/** Estimates a payout by the rules that `createPayout` decides by. Reserves and writes nothing. */
export const estimatePayout = (asked: EstimatePayout): PayoutEstimate => {
  const { currencies, currency, fees, native, network, networkFee, tenant, units } = asked
  const { fee } = chargeOf(fees, { product: "CHAIN_PAYOUT", currency, units, rail: network })
  const usd = freshUsd(asked.usd, fees.now)
  const networkFeeUsd = usdWorth(currencies, usd, networkFee)
  const missing = [
    ...(usd(currency.code) === null ? [currency.code] : []),
    ...(networkFeeUsd === null ? [native.code] : [])
  ]
  return {
    fee,
    feeUsd: usdWorth(currencies, usd, fee),
    networkFeeUsd,
    totalUsd: usdWorth(currencies, usd, of(units + fee.units, currency.code)),
    usdUnavailable: [...new Set(missing)],
    offReason:
      outOfReach(tenant, currencies.networks.of(network)) ??
      payoutsOffReason({ tenant }, network, asked.wallets, asked.switchedOff) ??
      null,
    limits: payoutLimitsOf(tenant.policy),
    dailyUsed: usedCents(asked.usage, payoutWindowMs, fees.now)
  }
}
