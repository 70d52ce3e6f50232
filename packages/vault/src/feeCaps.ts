import type { Network } from "@bursar/core/money/Network"

/** The most that one transaction may cost, in base units of the network's own coin. */
export type FeeCaps = Readonly<Record<Network, bigint>>

/** Far above what networks ask on a bad day, far below what a mistake can burn. */
export const defaultFeeCaps: FeeCaps = {
  ethereum: 10n ** 17n,
  bsc: 10n ** 17n,
  base: 10n ** 17n,
  bitcoin: 5_000_000n,
  tron: 500_000_000n,
  stellar: 100_000_000n
}
