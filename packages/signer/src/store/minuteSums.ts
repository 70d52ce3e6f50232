/** Amounts are summed up by this. */
const minuteMs = 60_000

/** More minutes than a day has: the longest time that a limit counts. */
const minutesMax = 1_500

const minuteOf = (at: number): number => Math.floor(at / minuteMs)

/**
 * Sums of amounts by place and minute. What is forgotten goes by how many minutes there are, and not by what the newest one says: a clock that was ahead
 * once makes nothing of the last day forgotten.
 */
export const makeMinuteSums = () => {
  const all = new Map<string, Map<number, bigint>>()
  return {
    add: (place: string, at: number, amount: bigint): void => {
      const minutes = all.get(place) ?? new Map<number, bigint>()
      const minute = minuteOf(at)
      all.set(place, minutes.set(minute, (minutes.get(minute) ?? 0n) + amount))
      const [oldest] = minutes.keys()
      if (oldest !== undefined && minutes.size > minutesMax) minutes.delete(oldest)
    },
    /** Takes back what was added, unless it is forgotten. */
    takeBack: (place: string, at: number, amount: bigint): void => {
      const minutes = all.get(place)
      const before = minutes?.get(minuteOf(at))
      if (before !== undefined) minutes?.set(minuteOf(at), before - amount)
    },
    /** What was added since a moment. */
    since: (place: string, moment: number): bigint =>
      [...(all.get(place) ?? [])].reduce(
        (sum, [minute, amount]) => (minute >= minuteOf(moment) ? sum + amount : sum),
        0n
      ),
    /** Whether `since` counts what was added at a moment. */
    counts: (place: string, at: number, moment: number): boolean =>
      minuteOf(at) >= minuteOf(moment) && all.get(place)?.has(minuteOf(at)) === true
  }
}
