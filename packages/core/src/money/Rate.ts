import type { Timestamp } from "../base/Timestamp.ts"
import type { Currency } from "./Currency.ts"

/** An exact decimal: `units` / 10^`decimals`. Never a `number`. */
export interface Decimal {
  readonly units: bigint
  readonly decimals: number
}

/** What one whole unit of a currency is worth in whole units of another, who says so, and when it was seen. */
export interface Rate {
  readonly price: Decimal
  readonly source: string
  readonly observedAt: Timestamp
}

const plain = /^(?:0|[1-9][0-9]{0,29})(?:\.([0-9]{1,40}))?$/u

/** Reads a decimal text without sign or exponent; undefined where it is none. */
export const parseDecimal = (text: string): Decimal | undefined => {
  const match = plain.exec(text)
  if (match === null) return undefined
  const fraction = (match[1] ?? "").replace(/0+$/u, "")
  const whole = text.split(".", 1)[0] ?? "0"
  return { units: BigInt(whole + fraction), decimals: fraction.length }
}

/** How a division is rounded. */
export type Rounding = "up" | "down" | "half-even"

/** `dividend` / `divisor` to a whole number. Both are zero or above, the divisor above zero. */
export const divide = (dividend: bigint, divisor: bigint, rounding: Rounding): bigint => {
  const quotient = dividend / divisor
  const rest = dividend % divisor
  if (rest === 0n || rounding === "down") return quotient
  if (rounding === "up") return quotient + 1n
  const twice = rest * 2n
  if (twice < divisor) return quotient
  return twice > divisor || quotient % 2n === 1n ? quotient + 1n : quotient
}

/** What base units of one currency come to in base units of another at a price per whole unit. */
export const convert = (
  units: bigint,
  from: Pick<Currency, "decimals">,
  to: Pick<Currency, "decimals">,
  price: Decimal,
  rounding: Rounding
): bigint =>
  divide(
    units * price.units * 10n ** BigInt(to.decimals),
    10n ** BigInt(from.decimals) * 10n ** BigInt(price.decimals),
    rounding
  )

/** The US cents of an amount, rounded half to even (the rule for every figure in USD). */
export const usdCents = (units: bigint, currency: Pick<Currency, "decimals">, usd: Decimal): bigint =>
  convert(units, currency, { decimals: 2 }, usd, "half-even")
