import type { Network } from "../money/Network.ts"

/** The topic of the agenda under which payouts wait to be put into a spend. The key is the operation's id. */
export const sendTopic = (network: Network): string => `send:${network}`

/** The topic of the agenda under which spends wait that are not over. The key is the spend's id. */
export const spendTopic = (network: Network): string => `spend:${network}`
