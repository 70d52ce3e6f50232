import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import type { Outpoint } from "@bursar/core/port/Utxo"
import { Result } from "effect"
import type { SaidElsewhere } from "./otherOperators.ts"

/** What follows for good from the word of the chain: a payment is settled, has failed, or may be made anew. */
export type Conclusion = Extract<TransactionStatus, { readonly _tag: "Final" | "Invalidated" }>

/** Whether something follows for good from a status. */
export const isConclusion = (status: TransactionStatus): status is Conclusion =>
  status._tag === "Final" || status._tag === "Invalidated"

/** What a node says of transactions, and the highest block that counted for it right before. */
export interface StatusThere {
  readonly confirmed: number
  readonly status: TransactionStatus
}

const saySame = (one: Conclusion, other: Conclusion): boolean => {
  if (one._tag === "Final")
    return (
      other._tag === "Final" &&
      one.hash === other.hash &&
      one.effect === other.effect &&
      one.blockNumber === other.blockNumber &&
      one.fee === other.fee
    )
  if (other._tag !== "Invalidated" || one.reason !== other.reason) return false
  // a number is used up by one transaction, each of several UTXOs may be spent by another
  const isOfSeveral = one.spent !== undefined && other.spent !== undefined
  return isOfSeveral || one.by === other.by || one.by === null || other.by === null
}

/**
 * What two say who say the same of transactions: what used up the guard where both name that, and of UTXOs those are spent that both have found spent,
 * as neither looks for all of them. Undefined where there are none: nothing is spent by the word of one.
 */
const common = (one: Conclusion, other: Conclusion): Conclusion | undefined => {
  if (one._tag === "Final" || other._tag === "Final") return one
  const theirs = other.spent
  const both = { ...one, by: one.by === other.by ? one.by : null }
  if (theirs === undefined) return both
  const isTheirs = (utxo: Outpoint) => theirs.some(({ txHash, vout }) => txHash === utxo.txHash && vout === utxo.vout)
  const spent = one.spent?.filter(isTheirs) ?? theirs
  return spent.length === 0 ? undefined : { ...both, spent }
}

/** How a second node stands to a conclusion. A node that has not come so far is `behind`; one that has and knows nothing of it denies it. */
const standOf = (said: Conclusion, { confirmed, status }: StatusThere): "agrees" | "denies" | "behind" => {
  if (isConclusion(status)) {
    if (!saySame(said, status)) return "denies"
    return common(said, status) === undefined ? "behind" : "agrees"
  }
  if (said._tag === "Invalidated") return status._tag === "Included" ? "denies" : "behind"
  if (confirmed < said.blockNumber) return "behind"
  return status._tag === "Included" && status.hash === said.hash ? "behind" : "denies"
}

/** What the word of one node comes to with those of others. */
export type Agreement =
  | { readonly _tag: "Agreed"; readonly conclusion: Conclusion }
  | { readonly _tag: "Disputed" }
  /** Others have not come so far yet. */
  | { readonly _tag: "Behind" }
  | { readonly _tag: "Silent" }

/** Compares a conclusion with what nodes of other operators say. One that contradicts it is enough to dispute it. */
export const agreementOf = (said: Conclusion, elsewhere: ReadonlyArray<SaidElsewhere<StatusThere>>): Agreement => {
  const there = elsewhere.flatMap(({ answer }) => (Result.isSuccess(answer) ? [answer.success] : []))
  const stands = new Set(there.map((one) => standOf(said, one)))
  if (stands.has("denies")) return { _tag: "Disputed" }
  for (const { status } of there) {
    const conclusion = isConclusion(status) ? common(said, status) : undefined
    if (conclusion !== undefined) return { _tag: "Agreed", conclusion }
  }
  return { _tag: stands.has("behind") ? "Behind" : "Silent" }
}

/** A status in words, for operators. */
export const statusWords = (status: TransactionStatus): string => {
  switch (status._tag) {
    case "Pending":
      return status.known ? "it waits for a block" : "it is not known"
    case "Included":
      return `${status.hash} is in block ${status.blockNumber}`
    case "Final":
      return `${status.hash} is final in block ${status.blockNumber}: ${status.effect}, for a fee of ${status.fee}`
    case "Invalidated":
      return `it can never take effect: ${status.reason} (${status.detail})`
  }
}
