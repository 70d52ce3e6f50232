import type { NetworkLimits } from "@bursar/core/money/Network"

/** What is swept, and at what cost. */
export interface SweepLimits {
  /** A sweep must move more than so many times what it costs, the top-up included. */
  readonly costTimes: number
  /** A sweep must move so much at least, of all its deposits: base units by currency. */
  readonly unitsLeast: Readonly<Record<string, bigint>>
  /** How many deposits one transaction moves at most, the largest first: a commit has to read and write them all. The rest goes with the next ones. */
  readonly depositsPerSweepMax: number
  /** What an address is given for a sweep, in percent of what it costs now: prices may rise until it is signed. */
  readonly budgetPercent: number
  /** Instead of the network's own limits. */
  readonly network?: Partial<NetworkLimits>
  /** Addresses and open sweeps taken in one pass. Where more wait, as many of each tenant on bitcoin and stellar, whose deposits are moved together. */
  readonly itemsPerPassMax: number
  /** Tenants of which addresses are looked at at once. */
  readonly tenantsAtOnce: number
  /** Open sweeps that are worked on at once. */
  readonly sweepsAtOnce: number
  /** How long to wait before the queue is read again, where no job was due. */
  readonly idleMs: number
  /** When to look again at what is not worth it now, or cannot be told. On bitcoin and stellar that is at its whole multiples, for all at once. */
  readonly reconsiderMs: number
  /** The first and the longest wait after a sweep was given up; it doubles in between. On bitcoin it ends at a multiple of `reconsiderMs`. */
  readonly retryFirstMs: number
  readonly retryLongestMs: number
  /** When to look again at a top-up that has not shown at its address, and at a sweep whose outbound transaction is under way. */
  readonly followMs: number
  /** For how long a top-up that is final may not show at its address, until the sweep is given up and begun anew. */
  readonly unseenMaxMs: number
  /** For how long a deposit may be off the chain until the sweep that was signed to move it is given up. */
  readonly goneMaxMs: number
}

/** The limits that a service starts with. */
export const defaultSweepLimits: SweepLimits = {
  costTimes: 3,
  unitsLeast: {},
  depositsPerSweepMax: 250,
  budgetPercent: 300,
  itemsPerPassMax: 500,
  tenantsAtOnce: 4,
  sweepsAtOnce: 32,
  idleMs: 1_000,
  reconsiderMs: 600_000,
  retryFirstMs: 60_000,
  retryLongestMs: 21_600_000,
  followMs: 30_000,
  unseenMaxMs: 3_600_000,
  goneMaxMs: 600_000
}
