import type { Network } from "../money/Network.ts"

/** The queue in which payouts wait to be put into an outbound transaction. The key is the operation's id. */
export const payoutQueue = (network: Network): string => `payout:${network}`
