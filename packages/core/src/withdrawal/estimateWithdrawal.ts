import { Result } from "effect"
import { type Amount, of } from "../money/Amount.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import type { Rate } from "../money/Rate.ts"
import { freshUsd, usdWorth } from "../money/usdWorth.ts"
import { chargeOf, type FeeRules } from "../pricing/charge.ts"
import { borneByReceiver, type NetworkCost } from "./borneByReceiver.ts"

/** A withdrawal that is thought of, with what is stored and what the world says at the moment. */
export interface EstimateWithdrawal extends NetworkCost {
  readonly currency: Currency
  /** In base units of the currency. */
  readonly units: bigint
  /** The network of the currency. */
  readonly network: Network
  readonly fees: FeeRules
  /** What one whole unit of each currency is worth in US dollars, as far as it is known. */
  readonly usd: ReadonlyMap<string, Rate | null>
  readonly currencies: CurrencyTable
}

/** What a withdrawal would cost. Figures in US dollars are in cents, null where they are not known. */
export interface WithdrawalEstimate {
  readonly fee: Amount
  readonly feeUsd: bigint | null
  readonly networkFeeUsd: bigint | null
  /** What would arrive; null where that is not known. */
  readonly received: Amount | null
  /** The currencies for want of whose price a figure is missing. */
  readonly usdUnavailable: ReadonlyArray<string>
}

const receivedOf = (asked: EstimateWithdrawal): Amount | null => {
  const { currency, networkFee, units } = asked
  const borne = borneByReceiver(currency.code, asked)
  if (networkFee === null || Result.isFailure(borne)) return null
  if (borne.success === null) return of(units, currency.code)
  return units > borne.success.units ? of(units - borne.success.units, currency.code) : null
}

/** Estimates a withdrawal by the rules that `createWithdrawal` decides by. Reserves and writes nothing. */
export const estimateWithdrawal = (asked: EstimateWithdrawal): WithdrawalEstimate => {
  const { currencies, currency, fees, network, networkFee, units } = asked
  const { fee } = chargeOf(fees, { product: "WITHDRAWAL", currency, units, rail: network })
  const usd = freshUsd(asked.usd, fees.now)
  const needed = [currency.code, ...(networkFee === null ? [] : [networkFee.currency])]
  return {
    fee,
    feeUsd: usdWorth(currencies, usd, fee),
    networkFeeUsd: usdWorth(currencies, usd, networkFee),
    received: receivedOf(asked),
    usdUnavailable: [...new Set(needed)].filter((code) => usd(code) === null)
  }
}
