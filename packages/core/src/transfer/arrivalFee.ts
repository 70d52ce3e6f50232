import { format } from "../money/Amount.ts"
import type { Currency } from "../money/Currency.ts"
import { parseDecimal } from "../money/Rate.ts"
import type { StoredFeeTerms } from "../operation/details/TransferDetails.ts"
import type { Operation } from "../operation/Operation.ts"
import { type FeeRule, feeOf } from "../pricing/FeeRule.ts"

/** What a rule charges, as the details of an ON_RAMP keep it: another amount than was announced is priced by it. */
export const feeTerms = (rule: FeeRule | undefined): StoredFeeTerms | null =>
  rule === undefined
    ? null
    : {
        percent: format(rule.percent.units, rule.percent.decimals),
        minimum_fee: format(rule.minimumFee.units, rule.minimumFee.decimals)
      }

const chargedBy = (
  terms: StoredFeeTerms | null,
  units: bigint,
  currency: Pick<Currency, "decimals">
): bigint | undefined => {
  if (terms === null) return 0n
  const [percent, minimumFee] = [parseDecimal(terms.percent), parseDecimal(terms.minimum_fee)]
  return percent === undefined || minimumFee === undefined ? undefined : feeOf({ percent, minimumFee }, units, currency)
}

/**
 * The fee of what arrived for an ON_RAMP: what was agreed for the announced amount, else what the rule that it was priced by charges for
 * the amount that came, and for less than was announced no more than was agreed. Undefined where the rule was not kept.
 */
export const arrivalFee = (
  { amount, customerFee, details }: Operation,
  units: bigint,
  currency: Pick<Currency, "decimals">
): bigint | undefined => {
  if (units === amount.units || (customerFee.units === 0n && details.fee_terms === undefined)) return customerFee.units
  const terms = details.fee_terms
  const fee = terms === undefined ? undefined : chargedBy(terms, units, currency)
  return fee !== undefined && units < amount.units && fee > customerFee.units ? customerFee.units : fee
}
