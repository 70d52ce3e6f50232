import type { Migration } from "./Migration.ts"

/** A tenant may have several payout wallets on a network: which may have is decided under its lock, and each has an index of its own. */
export const severalWallets: Migration = {
  id: 98,
  name: "several_wallets",
  statements: (sql) => [sql`drop index payout_wallet_one_of_a_network`]
}
