import { baseReserve } from "./network.ts"

/** What an account has agreed to hold of an asset. Amounts are base units. */
export interface Trustline {
  readonly balance: bigint
  readonly limit: bigint
  readonly authorized: boolean
  /** The ledger that last changed it. */
  readonly modified: number
}

/** What the signatures on an operation must weigh. */
export interface Thresholds {
  /** The weight of the account's own key. */
  readonly master: number
  readonly low: number
  readonly medium: number
  readonly high: number
}

/** An account of the local network. Amounts are stroops. */
export interface Account {
  readonly id: string
  readonly balance: bigint
  readonly sequence: bigint
  /** The ledger and the time at which its sequence was last used. */
  readonly sequenceAt: { readonly ledger: number; readonly time: number } | undefined
  readonly flags: number
  readonly homeDomain: string
  readonly thresholds: Thresholds
  /** Further keys by their weight. */
  readonly signers: ReadonlyMap<string, number>
  /** By code and issuer. */
  readonly trustlines: ReadonlyMap<string, Trustline>
  readonly data: ReadonlyMap<string, Uint8Array>
  /** The ledger that last changed it, and when that closed. */
  readonly modified: { readonly ledger: number; readonly time: number }
}

/** Holders need the issuer's consent. */
export const authRequired = 1

/** The issuer may take its consent back. */
export const authRevocable = 2

/** Flags cannot be changed any more, and the account not be removed. */
export const authImmutable = 4

/** What an account has that costs a reserve each. */
export const subentries = ({ data, signers, trustlines }: Account): number => data.size + signers.size + trustlines.size

/** What an account must keep. */
export const reserveOf = (account: Account): bigint => BigInt(2 + subentries(account)) * baseReserve

/** What an account can spend; below zero where its reserve has grown over its balance. */
export const availableOf = (account: Account): bigint => account.balance - reserveOf(account)

/** A new account. */
export const newAccount = (id: string, balance: bigint, ledger: number, time: number): Account => ({
  id,
  balance,
  // a number that no earlier account of this name can have used
  sequence: BigInt(ledger) << 32n,
  sequenceAt: undefined,
  flags: 0,
  homeDomain: "",
  thresholds: { master: 1, low: 0, medium: 0, high: 0 },
  signers: new Map(),
  trustlines: new Map(),
  data: new Map(),
  modified: { ledger, time }
})
