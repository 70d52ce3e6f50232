import type { Network } from "../money/Network.ts"

/** The topic of the agenda under which payouts wait to be put into a spend. The key is the operation's id. */
export const payoutQueue = (network: Network): string => `payout:${network}`

/** The topic of the agenda under which spends wait that are not over. The key is the spend's id. */
export const transactionQueue = (network: Network): string => `transaction:${network}`

/** The topic of the agenda under which tenants stand whose accounts are to be looked at. The key is `provisioningItem`. */
export const provisioningQueue = (network: Network): string => `provisioning:${network}`

/** The one item of a tenant on the topic of setting up accounts: all of them are looked at together. */
export const provisioningItem = "accounts"
