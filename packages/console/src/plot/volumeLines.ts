import type { VolumeSeries } from "@bursar/api/operator/OperatorSeries"
import { type Line, linesOf } from "./steps.ts"

type Point = VolumeSeries["points"][number]

const sum = (points: ReadonlyArray<Point>): number => points.reduce((total, { count }) => total + count, 0)

/** Statuses in which nothing more becomes of an operation. */
const over: ReadonlySet<string> = new Set(["SETTLED", "FAILED", "RETURNED"])

/** How many operations were accepted, and what has become of them. */
export const countLines = (times: ReadonlyArray<number>, points: ReadonlyArray<Point>): ReadonlyArray<Line> => {
  const all = linesOf(times, points, {
    labelOf: () => "accepted",
    valueOf: (some) => ({ value: sum(some) }),
    missing: 0
  })
  const ended = linesOf(
    times,
    points.filter(({ status }) => over.has(status)),
    { labelOf: ({ status }) => status.toLowerCase(), valueOf: (some) => ({ value: sum(some) }), missing: 0 }
  )
  return [...all, ...ended]
}

/** Of those that ended, how many were settled, in hundredths. */
export const successLines = (times: ReadonlyArray<number>, points: ReadonlyArray<Point>): ReadonlyArray<Line> =>
  linesOf(
    times,
    points.filter(({ status }) => over.has(status)),
    {
      labelOf: () => "settled",
      valueOf: (some) => {
        const settled = sum(some.filter(({ status }) => status === "SETTLED"))
        const percent = (100 * settled) / sum(some)
        return { value: percent, text: `${settled} of ${sum(some)}` }
      }
    }
  )

/** Digits after the point of the longest fraction among amounts. */
const fractionOf = (amounts: ReadonlyArray<string>): number =>
  Math.max(...amounts.map((amount) => amount.split(".")[1]?.length ?? 0))

/** Amounts of one currency added up, every digit of them. */
export const addAmounts = (amounts: ReadonlyArray<string>): string => {
  const decimals = fractionOf(amounts)
  const units = amounts.reduce((total, amount) => {
    const [whole = "0", fraction = ""] = amount.split(".")
    return total + BigInt(whole + fraction.padEnd(decimals, "0"))
  }, 0n)
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/u, "")
  return `${units < 0n ? "-" : ""}${digits.slice(0, cut)}${fraction === "" ? "" : `.${fraction}`}`
}

/** Of how much operations were accepted in one currency, by kind. The lines are drawn from rounded numbers, the table has every digit. */
export const amountLines = (
  times: ReadonlyArray<number>,
  points: ReadonlyArray<Point>,
  currency: string
): ReadonlyArray<Line> =>
  linesOf(
    times,
    points.filter(({ amount }) => amount.currency === currency),
    {
      labelOf: ({ kind }) => kind,
      valueOf: (some) => {
        const text = addAmounts(some.map(({ amount }) => amount.amount))
        return { value: Number(text), text }
      },
      missing: 0
    }
  )
