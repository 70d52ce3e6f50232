import { type Amount, format } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { divide, parseDecimal } from "@bursar/core/money/Rate"

/** Writes an amount as Bridge takes it; undefined for a currency that the table does not have. */
export const decimalOf = (currencies: CurrencyTable, { currency, units }: Amount): string | undefined => {
  const known = currencies.byCode(currency)
  return known === undefined ? undefined : format(units, known.decimals)
}

/** Reads an amount of Bridge in a currency of ours. Parts of a base unit are nobody's and fall away; undefined where it is no decimal. */
export const amountOf = (currencies: CurrencyTable, text: string, code: string): Amount | undefined => {
  const known = currencies.byCode(code)
  const decimal = parseDecimal(text)
  if (known === undefined || decimal === undefined) return undefined
  const units = divide(decimal.units * 10n ** BigInt(known.decimals), 10n ** BigInt(decimal.decimals), "down")
  return { units, currency: code }
}
