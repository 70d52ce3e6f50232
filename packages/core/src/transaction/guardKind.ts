import type { Network } from "../money/Network.ts"
import type { ReplayGuard } from "../port/ChainSender.ts"

/** What the transactions of a network use up, so that no two can both take effect. */
export const guardKind = (network: Network): ReplayGuard["_tag"] => {
  if (network === "bitcoin") return "Utxos"
  return network === "tron" ? "Expiry" : "Sequence"
}

/**
 * How many transactions of one account may be under way at once. On stellar a ledger takes one per account, and one that expired
 * leaves its number unused, which those behind it could never pass: accounts that lend their numbers make up for it.
 */
export const underWayMax = (network: Network): number => (network === "stellar" ? 1 : Number.POSITIVE_INFINITY)
