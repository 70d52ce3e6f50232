import { type Timestamp, toIso } from "../base/Timestamp.ts"

/**
 * A moment on the line of an account's legs in a currency. Legs are timed in milliseconds and many share one; `nth` counts them
 * there, from 0, in the order in which they were posted. So no two legs have the same moment.
 */
export interface LegMoment {
  readonly at: Timestamp
  readonly nth: number
}

/** So many legs of one millisecond can be told apart: the digits of a nanosecond. */
const nthDigits = 6

/** Writes a moment as an RFC 3339 date-time: the first leg of a millisecond as it is, each further one a nanosecond later. */
export const legMomentToIso = ({ at, nth }: LegMoment): string =>
  nth === 0 ? toIso(at) : toIso(at).replace("Z", `${String(nth).padStart(nthDigits, "0")}Z`)

/** Reads an RFC 3339 date-time, which must be one. What is finer than a nanosecond is taken up to the next. */
export const parseLegMoment = (text: string): LegMoment => {
  const finer = /\.\d{3}(\d+)/u.exec(text)?.[1] ?? ""
  const nth = Number(finer.slice(0, nthDigits).padEnd(nthDigits, "0"))
  return { at: Date.parse(text), nth: nth + (/[1-9]/u.test(finer.slice(nthDigits)) ? 1 : 0) }
}
