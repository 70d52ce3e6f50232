import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** The seed of a wallet that has one. */
export const seedOf = ({ seedId }: Pick<PayoutWallet, "seedId">): string => {
  if (seedId === null) throw new Error("the key of the wallet is in a custody")
  return seedId
}
