/** Amounts are summed up by this. */
const minuteMs = 60_000

/** More minutes than a day has: the longest time that a limit counts. */
const minutesMax = 1_500

const minuteOf = (at: number): number => Math.floor(at / minuteMs)

/** What was added in a minute. */
interface Sum {
  readonly minute: number
  total: bigint
  isForgotten: boolean
}

/** Something that was added. */
export interface Part {
  readonly place: string
  readonly amount: bigint
  readonly sum: Sum
}

/**
 * Sums of amounts by place and minute. What is forgotten is what was named longest ago, and not what the newest minute says: a clock that was ahead once makes
 * nothing of the last day forgotten.
 */
export const makeMinuteSums = () => {
  const all = new Map<string, Map<number, Sum>>()
  return {
    add: (place: string, at: number, amount: bigint): Part => {
      const minutes = all.get(place) ?? new Map<number, Sum>()
      const minute = minuteOf(at)
      const sum = minutes.get(minute) ?? { minute, total: 0n, isForgotten: false }
      sum.total += amount
      // what was named last stands last, also where a clock that was ahead had named it before
      minutes.delete(minute)
      all.set(place, minutes.set(minute, sum))
      const [oldest] = minutes.values()
      if (oldest !== undefined && minutes.size > minutesMax) {
        minutes.delete(oldest.minute)
        oldest.isForgotten = true
      }
      return { place, amount, sum }
    },
    /** Takes back what was added. Where it is forgotten, this changes nothing, though its minute may have been named anew. */
    takeBack: ({ amount, sum }: Part): void => {
      sum.total -= amount
    },
    /** What was added since a moment. */
    since: (place: string, moment: number): bigint =>
      [...(all.get(place)?.values() ?? [])].reduce(
        (sum, { minute, total }) => (minute >= minuteOf(moment) ? sum + total : sum),
        0n
      ),
    /** Whether `since` counts what was added. */
    counts: ({ sum }: Part, moment: number): boolean => !sum.isForgotten && sum.minute >= minuteOf(moment)
  }
}
