import { Result } from "effect"
import type { Refusal } from "../base/Refusal.ts"
import { format } from "../money/Amount.ts"
import type { Currency } from "../money/Currency.ts"
import { divide, parseDecimal } from "../money/Rate.ts"
import { belowMinimum } from "../money/refuseAmount.ts"
import type { TenantPolicy } from "../tenant/Tenant.ts"

/** The least of a currency that a tenant may send out at once, in base units: what its policy says, else what the currency does. */
export const minimumOut = ({ payoutMinimums }: Pick<TenantPolicy, "payoutMinimums">, currency: Currency): bigint => {
  const own = payoutMinimums[currency.code]
  const decimal = own === undefined ? undefined : parseDecimal(own)
  return decimal === undefined
    ? (currency.minimumOut ?? 1n)
    : divide(decimal.units * 10n ** BigInt(currency.decimals), 10n ** BigInt(decimal.decimals), "up")
}

/** Refuses less than the minimum (`below_minimum`): the service would pay more for sending it than it is worth. */
export const atLeastMinimum = (
  policy: Pick<TenantPolicy, "payoutMinimums">,
  units: bigint,
  currency: Currency
): Result.Result<void, Refusal> => {
  const least = minimumOut(policy, currency)
  return units >= least
    ? Result.void
    : Result.fail(
        belowMinimum(currency, least, `The least that is sent is ${format(least, currency.decimals)} ${currency.code}.`)
      )
}
