import type { Network } from "@bursar/core/money/Network"

/** What is swept, and at what cost. Amounts are base units of the network's own coin unless they say otherwise. */
export interface SweepLimits {
  /** A sweep must move more than so many times what it costs, the top-up included. */
  readonly costTimes: number
  /** The most of what it moves that a sweep may cost, in percent; null for no such bound. */
  readonly costShareMaxPercent: Readonly<Record<Network, number | null>>
  /** Less than this is left where it is: base units by currency. */
  readonly unitsLeast: Readonly<Record<string, bigint>>
  /** What an address is given for a sweep, in percent of what it costs now: prices may rise until it is signed. */
  readonly budgetPercent: number
  /** The most that an address is given at once. */
  readonly topUpMax: Readonly<Record<Network, bigint>>
  /** What is left on an account when its coin is swept, beside what the network makes it keep: stellar's account pays fees from it. */
  readonly keeps: Readonly<Record<Network, bigint>>
  /** The most coins that one transaction moves (bitcoin). */
  readonly utxosMax: number
  /** Addresses and open sweeps taken in one pass. */
  readonly itemsPerPassMax: number
  /** Tenants worked on at once. */
  readonly tenantsAtOnce: number
  /** How long to wait before the agenda is looked at again, where there was nothing to do. */
  readonly idleMs: number
  /** When to look again at what is not worth it now, or cannot be told. */
  readonly reconsiderMs: number
  /** The first and the longest wait after a sweep was given up; it doubles in between. */
  readonly retryFirstMs: number
  readonly retryLongestMs: number
  /** When to look again at a top-up that has not shown at its address, and at a sweep whose spend is under way. */
  readonly followMs: number
  /** For how long a top-up that is final may not show at its address, until the sweep is given up and begun anew. */
  readonly unseenMaxMs: number
}

const ether = 10n ** 18n

/** The limits that a service starts with. */
export const defaultSweepLimits: SweepLimits = {
  costTimes: 3,
  costShareMaxPercent: { ethereum: null, bsc: null, base: null, tron: 20, bitcoin: null, stellar: null },
  unitsLeast: {},
  budgetPercent: 300,
  topUpMax: {
    ethereum: ether / 20n,
    bsc: ether / 50n,
    base: ether / 200n,
    tron: 100_000_000n,
    bitcoin: 0n,
    stellar: 0n
  },
  keeps: { ethereum: 0n, bsc: 0n, base: 0n, tron: 0n, bitcoin: 0n, stellar: 10_000_000n },
  utxosMax: 200,
  itemsPerPassMax: 500,
  tenantsAtOnce: 4,
  idleMs: 1_000,
  reconsiderMs: 600_000,
  retryFirstMs: 60_000,
  retryLongestMs: 21_600_000,
  followMs: 30_000,
  unseenMaxMs: 3_600_000
}
