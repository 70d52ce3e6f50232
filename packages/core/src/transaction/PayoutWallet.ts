import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/** What an account of the service is for: to pay from, or to lend its sequence numbers to payments of another (stellar). */
export const walletRoles = ["PAYOUT", "CHANNEL"] as const

/** What an account of the service is for. */
export type WalletRole = (typeof walletRoles)[number]

/** So much of an asset of the wallet's network: by its contract or issuer, null for the native asset. */
export interface AssetUnits {
  readonly contract: string | null
  readonly units: bigint
}

/** A key that a custody holds: its name, and its own id of the key. */
export interface CustodiedKey {
  readonly custody: string
  readonly keyId: string
}

/** An account of a tenant on a network whose key the vault or a custody holds. Several may pay where transactions follow on each other (`addWallet`). */
export interface PayoutWallet {
  readonly id: string
  readonly network: Network
  readonly role: WalletRole
  /** Canonical. */
  readonly address: string
  /** The seed of its key, which is `1/index` below the account of the family, on stellar the account `1 + index`; null in custody. */
  readonly seedId: string | null
  /** Its key where a custody holds it; null where it is of a seed. */
  readonly custodied: CustodiedKey | null
  /** Counts the tenant's wallets on the network. */
  readonly index: number
  /** The number that the next transaction takes, where the network counts an account's transactions; null until it is known. */
  readonly nextSequence: bigint | null
  /** Grows with every outbound transaction, so that no two orders of the same payments are the same. */
  readonly nextSalt: number
  /** How many outbound transactions have reserved a number of this account, or pay from it, and are not over. */
  readonly openTransactions: number
  /** What its open outbound transactions will take from it that are in no block yet: what the chain says that it holds is that much too high. */
  readonly committed: ReadonlyArray<AssetUnits>
  readonly createdAt: Timestamp
}

/** Adds amounts per asset; below zero they are taken away. What comes to nothing is left out. */
export const addUnits = (
  to: ReadonlyArray<AssetUnits>,
  more: ReadonlyArray<AssetUnits>,
  times: 1n | -1n = 1n
): ReadonlyArray<AssetUnits> => {
  const sums = new Map(to.map(({ contract, units }) => [contract, units]))
  for (const { contract, units } of more) sums.set(contract, (sums.get(contract) ?? 0n) + times * units)
  return [...sums].filter(([, units]) => units !== 0n).map(([contract, units]) => ({ contract, units }))
}

/** How much of an asset the open outbound transactions of a wallet will still take. */
export const committedUnits = ({ committed }: Pick<PayoutWallet, "committed">, contract: string | null): bigint =>
  committed.find((one) => one.contract === contract)?.units ?? 0n

/** The accounts of a network that payouts are paid from, the one that was made first before the others. */
export const payingWallets = (wallets: ReadonlyArray<PayoutWallet>): ReadonlyArray<PayoutWallet> =>
  wallets.filter(({ role }) => role === "PAYOUT").toSorted((one, other) => one.index - other.index)

/** The account of a network that was made first to pay from, which is the one that partners are told to fund; undefined where there is none. */
export const firstWallet = (wallets: ReadonlyArray<PayoutWallet>): PayoutWallet | undefined => payingWallets(wallets)[0]

/** Wallets by their ids. The wallets of a network are a group. */
export const PayoutWallet = defineRecord<PayoutWallet>({
  name: "PayoutWallet",
  key: ({ id }) => id,
  group: ({ network }) => network,
  traits: { oncePerCommand: true }
})
