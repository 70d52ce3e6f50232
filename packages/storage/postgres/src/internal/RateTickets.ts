import type { RateDecision, RateWindow } from "@bursar/core/port/RateLimits"

/** A request that was counted ahead of its coming, with the second of each of its windows in which it was. */
export interface Ticket {
  readonly decision: RateDecision
  /** The windows, in the order of their subjects, with the second in which each counts it. */
  readonly counted: ReadonlyArray<{ readonly subject: string; readonly second: number }>
}

/** The windows that a request is taken from, in writing. The limits are part of it: what was taken under another is no good. */
export const windowsKey = (windows: ReadonlyArray<RateWindow>): string =>
  windows.map(({ limit, subject }) => `${limit} ${subject}`).join("\n")

/** The tickets that a process holds of some windows, all of one second of its clock. */
interface Lease {
  readonly second: number
  readonly tickets: Array<Ticket>
}

/** How many windows a process holds tickets of. */
const leasesMax = 10_000

/** How many requests it takes ahead for each that came. */
const aheadOfEach = 4

/** The share of what is left of a window that one process takes ahead: others find the rest. */
const shareOfLeft = 8

/** The most that it takes ahead at once. */
const aheadMax = 400

/**
 * The tickets of a process. A ticket is good within the second in which it was taken, as the windows count by seconds: used then, it is as if
 * its request had been decided on when it came. What is not used is to be given back.
 */
export const makeRateTickets = () => {
  const leases = new Map<string, Lease>()
  const unused: Array<Ticket> = []
  /** How many were left of windows when they were last asked about. */
  const left = new Map<string, number>()

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
      const ticket = lease.tickets.shift()
      if (lease.tickets.length === 0) leases.delete(key)
      return ticket?.decision
    },
    /** Notes what was last said of windows. */
    note: (windows: ReadonlyArray<RateWindow>, decision: RateDecision): void => {
      if (left.size >= leasesMax) left.clear()
      left.set(windowsKey(windows), decision._tag === "Allowed" ? decision.remaining : 0)
    },
    /** How many are to be taken ahead where so many came at once: none of windows of which nothing is known, or little is left. */
    ahead: (windows: ReadonlyArray<RateWindow>, came: number): number => {
      const share = Math.floor((left.get(windowsKey(windows)) ?? 0) / shareOfLeft)
      return Math.min(came * aheadOfEach, share, aheadMax)
    },
    /** Keeps a ticket that was taken in a second. */
    keep: (windows: ReadonlyArray<RateWindow>, second: number, ticket: Ticket): void => {
      const key = windowsKey(windows)
      const lease = leases.get(key)
      if (lease !== undefined && lease.second === second) return void lease.tickets.push(ticket)
      if (lease !== undefined) end(key, lease)
      leases.set(key, { second, tickets: [ticket] })
      const [oldest] = leases
      if (leases.size > leasesMax && oldest !== undefined) end(...oldest)
    },
    /** The tickets that any of these windows counts, to be given back. Each ticket is given out once. */
    takeHeld: (windows: ReadonlyArray<RateWindow>): ReadonlyArray<Ticket> => {
      const subjects = new Set(windows.map(({ subject }) => subject))
      if (subjects.size === 0) return []
      const counts = ({ counted }: Ticket): boolean => counted.some(({ subject }) => subjects.has(subject))
      const held = [...leases].filter(([, { tickets }]) => tickets.slice(0, 1).some(counts))
      return held.flatMap(([key, { tickets }]) => {
        leases.delete(key)
        return tickets
      })
    },
    /** How many windows there are tickets of, and how many tickets wait to be given back. */
    held: (): number => leases.size + unused.length,
    /** What is to be given back: what is not of this second, or all where none is given. Each ticket is given out once. */
    takeUnused: (second?: number): ReadonlyArray<Ticket> => {
      for (const [key, lease] of leases) if (lease.second !== second) end(key, lease)
      return unused.splice(0)
    }
  }
}
