import { BigInt as Big } from "effect"
import { type Comparison, differenceOf } from "./judgeDifference.ts"
import { exactly, minus } from "./Movement.ts"

/**
 * What two looks at a place have both found: the later one, with a difference that either allows. So what only one of them shows is not in it, and
 * what both show is, though payouts may have been signed or become final between them.
 *
 * Null where they contradict each other and miss no more than is known, `missing`: what arrives is booked a little later, and that alone can make a
 * place show too much, or hide a part of what is missing, at every look. But nothing that is known to nobody yet makes a place show too little. Where
 * both looks miss more than is known, the lesser amount is missing, whatever else leaves or arrives meanwhile.
 */
export const foundTwice = (first: Comparison, second: Comparison, missing: bigint): Comparison | null => {
  const [one, other] = [differenceOf(first), differenceOf(second)]
  const either = { least: Big.min(one.least, other.least), most: Big.max(one.most, other.most) }
  const contradict = one.most < other.least || other.most < one.least
  if (contradict && either.least <= Big.max(missing, 0n)) return null
  return { ...second, inFlight: minus(exactly(second.ledger - second.observed), either) }
}
