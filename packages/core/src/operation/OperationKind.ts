/** What an operation is; the kinds of the register. */
export const operationKinds = [
  "DEPOSIT",
  "CHAIN_PAYOUT",
  "WITHDRAWAL",
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "INTERNAL_TRANSFER",
  "REFUND",
  "REVERSAL",
  "ADJUSTMENT"
] as const

/** What an operation is. */
export type OperationKind = (typeof operationKinds)[number]
