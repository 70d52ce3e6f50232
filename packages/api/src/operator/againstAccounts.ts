/** Where the value of a float can stand, as an adjustment names it. */
export const againstAccounts = ["custodian", "bank", "suspense", "payout_wallet"] as const

/** Where the value of a float can stand, as an adjustment names it. */
export type AgainstAccount = (typeof againstAccounts)[number]
