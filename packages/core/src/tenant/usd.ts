import { format } from "../money/Amount.ts"
import { divide, parseDecimal } from "../money/Rate.ts"

/** The cents of a limit in US dollars as a policy states it; a text that is no decimal is a bug of who stored it and throws. */
export const centsOf = (usd: string): bigint => {
  const decimal = parseDecimal(usd)
  if (decimal === undefined) throw new Error(`${usd} is not an amount of US dollars`)
  return divide(decimal.units * 100n, 10n ** BigInt(decimal.decimals), "down")
}

/** US cents as a decimal text with two decimals at most, the shortest exact form. */
export const usdText = (cents: bigint): string => format(cents, 2)
