/**
 * The reference model of money: slow, small, and written without a look at the code that it judges. An amount is a number of base units,
 * a fee is a share of it that is rounded up, and what a partner has is what it was given and what came, less what went and its fees.
 */

/** What a text of an amount is in base units. */
export const unitsOf = (text: string, decimals: number): bigint => {
  const [whole = "0", rest = ""] = text.replace("-", "").split(".")
  const units = BigInt(whole + rest.padEnd(decimals, "0").slice(0, decimals))
  return text.startsWith("-") ? -units : units
}

/** A share in percent of an amount, rounded up. */
export const feeOf = (units: bigint, percent: { readonly units: bigint; readonly decimals: number }): bigint => {
  const parts = 100n * 10n ** BigInt(percent.decimals)
  return (units * percent.units + parts - 1n) / parts
}

/** Amounts by currency, to which is added and from which is taken. */
export interface Purse {
  readonly add: (currency: string, units: bigint) => void
  readonly has: (currency: string) => bigint
  readonly currencies: () => ReadonlyArray<string>
}

/** A purse with something in it. */
export const purseOf = (given: ReadonlyMap<string, bigint>): Purse => {
  const all = new Map(given)
  return {
    add: (currency, units) => void all.set(currency, (all.get(currency) ?? 0n) + units),
    has: (currency) => all.get(currency) ?? 0n,
    currencies: () => [...all.keys()]
  }
}

/** What a partner has, and what the service has earned with it: fees, and what it gained or lost by prices that it promised. */
export interface Purses {
  readonly own: Purse
  readonly earned: Purse
}
