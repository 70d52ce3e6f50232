import { format } from "@bursar/core/money/Amount"
import type { Amount } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type Rate, usdCents } from "@bursar/core/money/Rate"

/** Cents as a figure in USD, which has two decimals (design, "Money"). */
export const usdFigure = (cents: bigint): string => {
  const text = format(cents, 2)
  const [whole = "0", fraction = ""] = text.split(".")
  return `${whole}.${fraction.padEnd(2, "0")}`
}

/** What an amount is worth in USD; null where the amount or the price is not known. */
export const usdOf = (currencies: CurrencyTable, amount: Amount | null, usd: Rate | null): string | null => {
  const currency = amount === null ? undefined : currencies.byCode(amount.currency)
  return amount === null || usd === null || currency === undefined
    ? null
    : usdFigure(usdCents(amount.units, currency, usd.price))
}
