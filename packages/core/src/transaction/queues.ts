import type { Network } from "../money/Network.ts"

/** The queue in which outbound transactions wait that are not over. The key is the outbound transaction's id. */
export const transactionQueue = (network: Network): string => `transaction:${network}`

/** The queue in which tenants stand whose accounts are to be looked at. The key is `provisioningItem`. */
export const provisioningQueue = (network: Network): string => `provisioning:${network}`

/** The one item of a tenant on the queue of setting up accounts: all of them are looked at together. */
export const provisioningItem = "accounts"
