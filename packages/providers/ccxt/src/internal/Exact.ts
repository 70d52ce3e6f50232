import { divide, type Rounding } from "@bursar/core/money/Rate"

/** An exact decimal with a sign: `units` / 10^`decimals`. */
export interface Exact {
  readonly units: bigint
  readonly decimals: number
}

const plain = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/u

/** Nothing. */
export const zero: Exact = { units: 0n, decimals: 0 }

/** Reads a decimal as exchanges write it: no exponent; undefined where it is none. */
export const parse = (text: string): Exact | undefined => {
  const match = plain.exec(text)
  if (match === null) return undefined
  const [, sign = "", whole = "0", fraction = ""] = match
  const units = BigInt(whole + fraction)
  return { units: sign === "-" ? -units : units, decimals: fraction.length }
}

/** The sum. */
export const plus = (left: Exact, right: Exact): Exact => {
  const decimals = Math.max(left.decimals, right.decimals)
  const scaled = ({ decimals: own, units }: Exact) => units * 10n ** BigInt(decimals - own)
  return { units: scaled(left) + scaled(right), decimals }
}

/** The same with the other sign. */
export const minus = ({ decimals, units }: Exact): Exact => ({ units: -units, decimals })

/** The product. */
export const times = (left: Exact, right: Exact): Exact => ({
  units: left.units * right.units,
  decimals: left.decimals + right.decimals
})

/** Without its sign. */
export const absolute = (self: Exact): Exact => (self.units < 0n ? minus(self) : self)

/** Whether both are the same number. */
export const isEqual = (left: Exact, right: Exact): boolean => plus(left, minus(right)).units === 0n

/** In base units of so many decimals. Rounds what is zero or above. */
export const toUnits = (self: Exact, decimals: number, rounding: Rounding): bigint =>
  self.decimals <= decimals
    ? self.units * 10n ** BigInt(decimals - self.decimals)
    : divide(self.units, 10n ** BigInt(self.decimals - decimals), rounding)

/** The smallest step of so many decimals. */
export const stepOf = (decimals: number): Exact => ({ units: 1n, decimals })

/** As a plain decimal text. */
export const toText = ({ decimals, units }: Exact): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  return units < 0n ? `-${text}` : text
}
