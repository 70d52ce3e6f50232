import type { RateDecision, RateWindow } from "@bursar/core/port/RateLimits"

/** Requests of the same windows that were counted ahead of their coming, with the second of each window in which they were. */
export interface Tickets {
  /** How many of them have not been used. */
  readonly count: number
  /** What remains of the windows once all of them have been used. */
  readonly remaining: number
  readonly resetSeconds: number
  /** The windows, in the order of their subjects, with the second in which each counts them. */
  readonly counted: ReadonlyArray<{ readonly subject: string; readonly second: number }>
}

const keys = new WeakMap<ReadonlyArray<RateWindow>, string>()

/** The windows that a request is taken from, in writing. The limits are part of it: what was taken under another is no good. */
export const windowsKey = (windows: ReadonlyArray<RateWindow>): string => {
  const known = keys.get(windows)
  if (known !== undefined) return known
  const key = windows.map(({ limit, subject }) => `${limit} ${subject}`).join("\n")
  keys.set(windows, key)
  return key
}

/** The tickets that a process holds of some windows, all of one second of its clock. */
interface Lease {
  readonly second: number
  readonly tickets: Array<Tickets>
}

/** How many windows a process holds tickets of. */
const leasesMax = 10_000

/** How many requests it takes ahead for each that came, and then how many times as many whenever they are used up within their second. */
const aheadOfEach = 4
const aheadAgain = 4

/** The share of what is left of a window that one process takes ahead: others find the rest. */
const shareOfLeft = 8

/** The most that it takes ahead at once. */
const aheadMax = 2_000

/**
 * The tickets of a process. A ticket is good within the second in which it was taken, as the windows count by seconds: used then, it is as if
 * its request had been decided on when it came. What is not used is to be given back.
 */
export const makeRateTickets = () => {
  const leases = new Map<string, Lease>()
  const unused: Array<Tickets> = []
  /** How many were left of windows when they were last asked about. */
  const left = new Map<string, number>()
  /** How many were last taken ahead of windows, and in which second. */
  const taken = new Map<string, { readonly second: number; readonly count: number }>()

  const end = (key: string, { tickets }: Lease): void => {
    unused.push(...tickets)
    leases.delete(key)
  }

  return {
    /** Uses a ticket of these windows, if there is one of this second. */
    use: (windows: ReadonlyArray<RateWindow>, second: number): RateDecision | undefined => {
      const key = windowsKey(windows)
      const lease = leases.get(key)
      if (lease === undefined) return undefined
      if (lease.second !== second) {
        end(key, lease)
        return undefined
      }
      const [first] = lease.tickets
      if (first === undefined) return undefined
      const rest = first.count - 1
      if (rest > 0) lease.tickets[0] = { ...first, count: rest }
      else if (lease.tickets.length > 1) lease.tickets.shift()
      else leases.delete(key)
      return { _tag: "Allowed", remaining: first.remaining + rest, resetSeconds: first.resetSeconds }
    },
    /** Notes what was last said of windows. */
    note: (windows: ReadonlyArray<RateWindow>, decision: RateDecision): void => {
      if (left.size >= leasesMax) left.clear()
      left.set(windowsKey(windows), decision._tag === "Allowed" ? decision.remaining : 0)
    },
    /**
     * How many are to be taken ahead where so many came at once in a second: none of windows of which nothing is known, or little is left; more
     * than the last time where those of the same second did not last.
     */
    ahead: (windows: ReadonlyArray<RateWindow>, came: number, second: number): number => {
      const key = windowsKey(windows)
      const last = taken.get(key)
      const again = last?.second === second ? last.count * aheadAgain : 0
      const share = Math.floor((left.get(key) ?? 0) / shareOfLeft)
      return Math.min(Math.max(came * aheadOfEach, again), share, aheadMax)
    },
    /** Keeps tickets that were taken in a second. */
    keep: (windows: ReadonlyArray<RateWindow>, second: number, some: Tickets): void => {
      const key = windowsKey(windows)
      if (taken.size >= leasesMax) taken.clear()
      taken.set(key, { second, count: some.count })
      const lease = leases.get(key)
      if (lease !== undefined && lease.second === second) return void lease.tickets.push(some)
      if (lease !== undefined) end(key, lease)
      leases.set(key, { second, tickets: [some] })
      const [oldest] = leases
      if (leases.size > leasesMax && oldest !== undefined) end(...oldest)
    },
    /** The tickets that any of these windows counts, to be given back. Each ticket is given out once. */
    takeHeld: (windows: ReadonlyArray<RateWindow>): ReadonlyArray<Tickets> => {
      const subjects = new Set(windows.map(({ subject }) => subject))
      if (subjects.size === 0) return []
      const counts = ({ counted }: Tickets): boolean => counted.some(({ subject }) => subjects.has(subject))
      const held = [...leases].filter(([, { tickets }]) => tickets.slice(0, 1).some(counts))
      return held.flatMap(([key, { tickets }]) => {
        leases.delete(key)
        return tickets
      })
    },
    /** How many windows there are tickets of, and how many tickets wait to be given back. */
    held: (): number => leases.size + unused.length,
    /** What is to be given back: what is not of this second, or all where none is given. Each ticket is given out once. */
    takeUnused: (second?: number): ReadonlyArray<Tickets> => {
      for (const [key, lease] of leases) if (lease.second !== second) end(key, lease)
      return unused.splice(0)
    }
  }
}
