import type { Network } from "../money/Network.ts"

/** A place where value stands: coins on a network, or value at a custodian or a bank. Its account never falls below zero. */
export type AssetAccount =
  | `chain:${Network}:deposits`
  | `chain:${Network}:payouts`
  | `chain:${Network}:tenant`
  | "custodian"
  | "bank"

/**
 * A ledger account of one tenant, by name. The chart of accounts:
 *
 * | account | side | meaning |
 * |---|---|---|
 * | `float:available`, `float:held` | credit | what the service owes the tenant, free or reserved |
 * | `account:<id>` | credit | what it owes a customer's fiat account |
 * | `chain:<network>:deposits`, `chain:<network>:payouts` | debit | coins on deposit addresses, in the payout wallet |
 * | `chain:<network>:tenant` | debit | coins on addresses whose keys the tenant holds |
 * | `custodian`, `bank` | debit | value at the custodian, at the fiat provider |
 * | `exchange` | either | the two sides of a conversion in progress |
 * | `fees` | credit | income from fees |
 * | `network_fees` | debit | chain cost borne by the service |
 * | `suspense` | either | what arrived and cannot be attributed |
 * | `suspense:<place>` | credit | what has left a place without having been booked in there |
 */
export type Account =
  | "float:available"
  | "float:held"
  | `account:${string}`
  | AssetAccount
  | "exchange"
  | "fees"
  | "network_fees"
  | "suspense"
  | `suspense:${AssetAccount}`

/** The side on which an account grows. */
export type Side = "DEBIT" | "CREDIT"

/** The normal side of an account; accounts that may stand on either side count debits as positive. */
export const normalSide = (account: Account): Side =>
  account.startsWith("float:") || account.startsWith("account:") || account === "fees" ? "CREDIT" : "DEBIT"

/** Whether the account is a place where value stands. */
export const isAsset = (account: Account): account is AssetAccount =>
  account.startsWith("chain:") || account === "custodian" || account === "bank"

/** The account of what has left a place without having been booked in there. */
export const shortfallOf = (place: AssetAccount): Account => `suspense:${place}`

/** Whether the account is of what belongs to nobody yet, or of what has left a place without having been booked in there. */
export const isSuspense = (account: Account): boolean => account === "suspense" || account.startsWith("suspense:")

/** Whether the account holds what is owed to somebody and so must not fall below zero. */
export const isOwed = (account: Account): boolean => account.startsWith("float:") || account.startsWith("account:")

/** The key under which a balance is loaded. */
export const balanceKey = (account: Account, currency: string): string => `${account}|${currency}`

/** What a command declares to see a balance. */
export interface BalanceRead {
  readonly _tag: "Balance"
  readonly account: Account
  readonly currency: string
}
