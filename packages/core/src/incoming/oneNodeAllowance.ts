import type { Timestamp } from "../base/Timestamp.ts"

/** What was credited of a currency by the word of one node, in the minute that began at `minute`. */
export interface OneNodeCredit {
  readonly currency: string
  readonly minute: Timestamp
  readonly units: bigint
}

/** How much of a currency may be credited by the word of one node in any stretch of time of this length. */
export interface OneNodeAllowance {
  readonly units: bigint
  readonly windowMs: number
}

const minuteMs = 60_000

/** The minute that a moment lies in, by its beginning. */
export const minuteOf = (at: Timestamp): Timestamp => at - (at % minuteMs)

/** The first minute that still counts against an allowance: what was credited at its end lies within the window. */
export const firstCounted = (now: Timestamp, windowMs: number): Timestamp => minuteOf(now - windowMs)

/** Says of each of some amounts of a currency, in their order, whether the allowance has room for it beside what was credited before. */
export const withinAllowance = (
  credited: ReadonlyArray<Pick<OneNodeCredit, "minute" | "units">>,
  wanted: ReadonlyArray<bigint>,
  { now, units, windowMs }: OneNodeAllowance & { readonly now: Timestamp }
): ReadonlyArray<boolean> => {
  const from = firstCounted(now, windowMs)
  let used = credited.reduce((sum, one) => (one.minute >= from ? sum + one.units : sum), 0n)
  return wanted.map((amount) => {
    if (used + amount > units) return false
    used += amount
    return true
  })
}
