/** The places where the value behind a float can stand, as an adjustment names them. */
export const againstAccounts = [
  "custodian",
  "bank",
  "suspense",
  "payout_wallet",
  "deposit_addresses",
  "tenant_addresses"
] as const
