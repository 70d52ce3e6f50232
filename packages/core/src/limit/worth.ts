import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import { convert, type Rate } from "../money/Rate.ts"
import { usdPrice } from "../money/usdPrice.ts"

/** What an amount counts for, and the price by which. */
export interface Worth {
  readonly cents: bigint
  readonly price: Rate
}

const cents = { decimals: 2 }

/**
 * What an amount counts for in limits, in US cents. Rounded up: no amount counts for nothing, however small its parts are. Null
 * where no fresh price is known; a dollar is a dollar.
 */
export const worthOf = (units: bigint, currency: Currency, usd: Rate | null, now: Timestamp): Worth | null => {
  const price = usdPrice(currency, usd, now)
  return price === null ? null : { cents: convert(units, currency, cents, price.price, "up"), price }
}

/** What amounts of several currencies are worth by. */
export interface PriceFacts {
  readonly currencies: Pick<CurrencyTable, "byCode">
  /** What one whole unit of each currency is worth in US dollars, as far as it is known. */
  readonly usd: ReadonlyMap<string, Rate | null>
  readonly now: Timestamp
}

/** What an amount is worth, in US cents, as `worthOf` counts it; undefined where no fresh price of it is known. */
export const centsIn = (
  { currency: code, units }: Amount,
  { currencies, now, usd }: PriceFacts
): bigint | undefined => {
  const currency = currencies.byCode(code)
  return currency && worthOf(units, currency, usd.get(code) ?? null, now)?.cents
}
