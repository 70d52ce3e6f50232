import type { Currency } from "../money/Currency.ts"
import { convert, type Rate } from "../money/Rate.ts"

/** What makes a sweep worth its cost. */
export interface SweepTerms {
  /** The value must be more than so many times the cost. At least 1. */
  readonly costTimes: number
  /** The most of the value that the cost may be, in percent; null for no such bound. */
  readonly costShareMaxPercent: number | null
  /** Less than this of the currency is left where it is, in base units. */
  readonly unitsLeast: bigint
}

/** What would be moved, and what that would cost. */
export interface SweepFigures {
  readonly units: bigint
  readonly currency: Currency
  /** What the currency is worth, null where that is not known. */
  readonly usd: Rate | null
  /** In base units of the native asset, the top-up's own cost included; null where it cannot be told. */
  readonly cost: bigint | null
  readonly native: Currency
  readonly nativeUsd: Rate | null
}

/** Whether something is worth sweeping now, or why not. */
export type SweepAssessment =
  | { readonly _tag: "Worth" }
  | {
      readonly _tag: "NotNow"
      readonly reason: "below_threshold" | "price_unknown" | "cost_unknown" | "uneconomic"
    }

/** Dollars are compared as exactly as this, rounded against the sweep. */
const dollars = { decimals: 18 }

/** Weighs what a sweep would move against what it would cost. Where a price or the cost is not known, nothing is swept. */
export const assessSweep = (
  { native, nativeUsd, cost, currency, units, usd }: SweepFigures,
  { costShareMaxPercent, costTimes, unitsLeast }: SweepTerms
): SweepAssessment => {
  if (units <= 0n || units < unitsLeast) return { _tag: "NotNow", reason: "below_threshold" }
  if (usd === null || nativeUsd === null) return { _tag: "NotNow", reason: "price_unknown" }
  if (cost === null) return { _tag: "NotNow", reason: "cost_unknown" }
  const value = convert(units, currency, dollars, usd.price, "down")
  const price = convert(cost, native, dollars, nativeUsd.price, "up")
  const percent = costShareMaxPercent === null ? undefined : BigInt(costShareMaxPercent)
  return value > BigInt(costTimes) * price && (percent === undefined || price * 100n <= percent * value)
    ? { _tag: "Worth" }
    : { _tag: "NotNow", reason: "uneconomic" }
}
