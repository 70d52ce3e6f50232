import { centsIn, type PriceFacts } from "../limit/worth.ts"
import type { Amount } from "../money/Amount.ts"
import { usdText } from "../tenant/usd.ts"

/** What a fee that a custodian tells may be worth at most, in US cents, where it is more than a tenth of the amount. */
export const feeCentsMax = 50_000n

/** What a fee is held against. */
export interface FeeFacts extends PriceFacts {
  /** What was ordered. */
  readonly ordered: Amount
}

/** The most of a fee, in the currency of what was ordered, that is believed whatever the currency is worth. */
export const believedFeeMax = (orderedUnits: bigint): bigint => orderedUnits / 10n

const isTenth = (one: bigint, whole: bigint): boolean => one <= believedFeeMax(whole)

/** Whether a fee is at most a tenth of what was ordered, in the same currency: what it is worth need not be known. */
export const isTenthOf = (ordered: Amount, fee: Amount): boolean =>
  fee.currency === ordered.currency && isTenth(fee.units, ordered.units)

/**
 * Why a fee is too much to be booked on the custodian's word alone, in words; undefined where it is not. It may be a tenth of what was
 * ordered, or `feeCentsMax`: more is a misread number, or somebody has to look. What a fee of another currency is worth has to be known.
 */
export const excessiveFee = (fee: Amount, facts: FeeFacts): string | undefined => {
  const { ordered } = facts
  if (isTenthOf(ordered, fee)) return undefined
  const told = `a fee of ${fee.units} units of ${fee.currency} was told`
  const cents = centsIn(fee, facts)
  if (cents === undefined) return `${told}, and no fresh price of ${fee.currency} is known`
  if (cents <= feeCentsMax || isTenth(cents, centsIn(ordered, facts) ?? 0n)) return undefined
  return `${told}, which is worth ${usdText(cents)} USD: more than ${usdText(feeCentsMax)} USD and a tenth of what was ordered`
}
