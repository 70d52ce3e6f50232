import { fixed } from "../decimal.ts"

/** Base units with their scale. */
interface Scaled {
  readonly units: bigint
  readonly decimals: number
}

/** How many decimals a rate is written with. */
const rateDecimals = 12

/** How much of one amount there is for one whole unit of another, as a decimal text; what is finer than twelve decimals is cut off. */
export const ratio = (of: Scaled, per: Scaled): string => {
  const numerator = of.units * 10n ** BigInt(per.decimals + rateDecimals)
  return fixed(numerator / (per.units * 10n ** BigInt(of.decimals)), rateDecimals)
}
