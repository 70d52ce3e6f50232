import type { BridgeHolding } from "../BridgeOptions.ts"

/** A holding as one end of a transfer, or as where a virtual account delivers. */
export const endOf = (holding: BridgeHolding): Record<string, string> =>
  holding.kind === "prefunded"
    ? { payment_rail: "prefunded", currency: holding.currency, prefunded_account_id: holding.accountId }
    : { payment_rail: "bridge_wallet", currency: holding.currency, bridge_wallet_id: holding.walletId }
