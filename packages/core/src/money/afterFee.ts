import type { Decimal, Rate } from "./Rate.ts"

/**
 * What a rate brings once a share of what is received is kept as a fee: exact, nothing is rounded. Null where the share is no
 * share (below zero, or all of it and more): what such a fee would leave is not known.
 */
export const afterFee = (rate: Rate, share: Decimal): Rate | null => {
  const whole = 10n ** BigInt(share.decimals)
  if (share.units < 0n || share.units >= whole) return null
  if (share.units === 0n) return rate
  const { price } = rate
  return { ...rate, price: { units: price.units * (whole - share.units), decimals: price.decimals + share.decimals } }
}
