import type { Currency } from "@bursar/core/money/Currency"

const pattern = /^(?<sign>[+-]?)(?<whole>\d{1,30})(?:\.(?<fraction>\d{0,30}))?$/u

/** A decimal text in base units of a currency; undefined where it is none, or has more decimals than the currency. Nothing is rounded. */
export const decimalUnits = (text: string, { decimals }: Pick<Currency, "decimals">): bigint | undefined => {
  const { fraction = "", sign, whole } = pattern.exec(text.trim())?.groups ?? {}
  const digits = fraction.replace(/0+$/u, "")
  if (whole === undefined || digits.length > decimals) return undefined
  const units = BigInt(whole) * 10n ** BigInt(decimals) + BigInt(digits.padEnd(decimals, "0") || "0")
  return sign === "-" ? -units : units
}
