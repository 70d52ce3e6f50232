import type { Amount } from "@bursar/core/money/Amount"
import type { Decimal } from "@bursar/core/money/Rate"

/** What an amount comes to in another currency at a rate, rounded down. */
export const convertedUnits = (
  { currency, units }: Amount,
  to: string,
  { decimalsOf, rate }: { readonly rate: Decimal; readonly decimalsOf: (currency: string) => number }
): bigint =>
  (units * rate.units * 10n ** BigInt(decimalsOf(to))) /
  (10n ** BigInt(decimalsOf(currency)) * 10n ** BigInt(rate.decimals))
