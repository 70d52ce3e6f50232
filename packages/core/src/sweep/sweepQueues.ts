import type { Network } from "../money/Network.ts"

/** The topic of the agenda under which addresses wait that something may be swept from. The key is the address's id. */
export const sweepQueue = (network: Network): string => `sweep:${network}`

/** The topic of the agenda under which sweeps wait that are not closed. The key is the sweep's id. */
export const openSweepQueue = (network: Network): string => `open-sweep:${network}`
