import type { Network } from "../money/Network.ts"

/** The queue in which addresses wait that something may be swept from. The key is the address's id. */
export const sweepQueue = (network: Network): string => `sweep:${network}`

/** The queue in which sweeps wait that are not closed. The key is the sweep's id. */
export const openSweepQueue = (network: Network): string => `open-sweep:${network}`
