import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { BridgeHolding } from "../BridgeOptions.ts"

/** A holding as one end of a transfer, or as where a virtual account delivers. */
export const endOf = (holding: BridgeHolding): Record<string, string> =>
  holding.kind === "prefunded"
    ? { payment_rail: "prefunded", currency: holding.currency, prefunded_account_id: holding.accountId }
    : { payment_rail: "bridge_wallet", currency: holding.currency, bridge_wallet_id: holding.walletId }

/** What Bridge can hold besides the money itself that is worth as much. */
const stable: Readonly<Record<string, ReadonlyArray<string>>> = {
  EUR: ["eurc"],
  USD: ["usdc", "usdb", "usdt", "usdg", "pyusd", "dai"]
}

/** Whether so much of what Bridge calls `held` is as much of our currency `code`. */
export const isSameMoney = (code: string, held: string): boolean =>
  held.toUpperCase() === code || stable[code]?.includes(held.toLowerCase()) === true

/**
 * In which currency of ours so much of what Bridge calls `held` is as much: `code`, where it is, or that whose stablecoin it is, or the bank money
 * that it is itself; undefined where we have none.
 */
export const moneyOf = (currencies: CurrencyTable, code: string, held: string): string | undefined =>
  [code, ...Object.keys(stable), held.toUpperCase()].find(
    (one) => isSameMoney(one, held) && currencies.byCode(one)?.kind === "FIAT"
  )
