import { centsIn, type PriceFacts } from "../limit/worth.ts"
import { type Amount, of } from "../money/Amount.ts"
import { usdText } from "../tenant/usd.ts"

/** What the fees that a custodian tells of an order may be worth at most, in US cents, where they are more than a tenth of the amount. */
export const feeCentsMax = 50_000n

/** What fees are held against. */
export interface FeeFacts extends PriceFacts {
  /** What was ordered. */
  readonly ordered: Amount
}

/** The most of the fees, in the currency of what was ordered, that is believed whatever that is worth. */
export const believedFeeMax = (orderedUnits: bigint): bigint => orderedUnits / 10n

const isTenth = (one: bigint, whole: bigint): boolean => one <= believedFeeMax(whole)

/** What fees come to in each of their currencies: a custodian may tell one for each fill. */
const totalsOf = (fees: ReadonlyArray<Amount>): ReadonlyArray<Amount> => {
  const totals = new Map<string, bigint>()
  for (const { currency, units } of fees) totals.set(currency, (totals.get(currency) ?? 0n) + units)
  return Array.from(totals, ([currency, units]) => of(units, currency))
}

/** Whether fees come to at most a tenth of what was ordered, all in the same currency: what it is worth need not be known. */
export const areTenthOf = (ordered: Amount, fees: ReadonlyArray<Amount>): boolean =>
  fees.every(({ currency }) => currency === ordered.currency) &&
  totalsOf(fees).every(({ units }) => isTenth(units, ordered.units))

/**
 * Why the fees of an order are too much to be booked on the custodian's word alone, in words; undefined where they are not. All together may be a
 * tenth of what was ordered, or `feeCentsMax`: more is a misread number, or somebody has to look. What fees of other currencies are worth has to be known.
 */
export const excessiveFee = (fees: ReadonlyArray<Amount>, facts: FeeFacts): string | undefined => {
  const { ordered } = facts
  if (areTenthOf(ordered, fees)) return undefined
  const totals = totalsOf(fees)
  const all = totals.map(({ currency, units }) => `${units} units of ${currency}`).join(", and of ")
  const told = `a fee of ${all} was told`
  let cents = 0n
  for (const total of totals) {
    const worth = centsIn(total, facts)
    if (worth === undefined) return `${told}, and no fresh price of ${total.currency} is known`
    cents += worth
  }
  if (cents <= feeCentsMax || isTenth(cents, centsIn(ordered, facts) ?? 0n)) return undefined
  return `${told}, which is worth ${usdText(cents)} USD: more than ${usdText(feeCentsMax)} USD and a tenth of what was ordered`
}
