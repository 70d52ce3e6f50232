import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "./Amount.ts"
import type { CurrencyTable } from "./Currency.ts"
import { freshPrice } from "./freshPrice.ts"
import { type Rate, usdCents } from "./Rate.ts"

/** What one whole unit of a currency is worth in US dollars, as far as a price is known and fresh. */
export type UsdPrices = (currency: string) => Rate | null

/** The prices that are fresh at a moment. */
export const freshUsd =
  (prices: ReadonlyMap<string, Rate | null>, now: Timestamp): UsdPrices =>
  (currency) =>
    freshPrice(prices.get(currency) ?? null, now)

/** What an amount is worth in US cents, rounded half to even; null where the amount or its price is not known. */
export const usdWorth = (
  currencies: Pick<CurrencyTable, "byCode">,
  usd: UsdPrices,
  amount: Amount | null
): bigint | null => {
  if (amount === null) return null
  const currency = currencies.byCode(amount.currency)
  if (currency === undefined) return null
  const price = usd(currency.code)
  return price === null ? null : usdCents(amount.units, currency, price.price)
}
