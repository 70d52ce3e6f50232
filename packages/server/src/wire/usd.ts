import { format } from "@bursar/core/money/Amount"

/** Cents as a figure in USD, which has two decimals (design, "Money"). */
export const usdFigure = (cents: bigint): string => {
  const text = format(cents, 2)
  const [whole = "0", fraction = ""] = text.split(".")
  return `${whole}.${fraction.padEnd(2, "0")}`
}

/** The same of what may not be known. */
export const usdFigureOrNull = (cents: bigint | null): string | null => (cents === null ? null : usdFigure(cents))
