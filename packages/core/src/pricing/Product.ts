/** What is charged for, and can be quoted (design, "Fees, quotes, limits"). */
export const products = ["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "SWAP", "CHAIN_PAYOUT", "WITHDRAWAL"] as const

/** What is charged for, and can be quoted. */
export type Product = (typeof products)[number]
