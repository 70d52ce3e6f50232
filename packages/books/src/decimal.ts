import type { CurrencyTable } from "@bursar/core/money/Currency"

/** How many decimals a currency has. The books hold none that the service does not know. */
export const decimalsOf = (currencies: CurrencyTable, code: string): number => {
  const currency = currencies.byCode(code)
  if (currency === undefined) throw new Error(`the books hold ${code}, which is not among the currencies`)
  return currency.decimals
}

/** Base units as a decimal text with all the decimals of the currency: exact, and of one width after the point. */
export const fixed = (units: bigint, decimals: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  return `${units < 0n ? "-" : ""}${whole}${decimals === 0 ? "" : `.${digits.slice(-decimals)}`}`
}

/** The same, of a currency of the table. */
export const fixedIn = (currencies: CurrencyTable, units: bigint, code: string): string =>
  fixed(units, decimalsOf(currencies, code))
