import type { TransactionStatus } from "@bursar/core/port/ChainSender"
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
  return (
    other._tag === "Invalidated" &&
    one.reason === other.reason &&
    (one.by === other.by || one.by === null || other.by === null)
  )
}

const leftBy = (one: Conclusion): ReadonlyArray<string> =>
  one._tag === "Invalidated" ? (one.unspent ?? []).map(({ txHash, vout }) => `${txHash}:${vout}`).toSorted() : []

/**
 * How a second node stands to a conclusion. A node that has not come so far is `behind`; one that has and knows nothing of it denies it. Of what is left
 * unspent two nodes say the same once both have the same blocks: until then nothing is spent, or free, by the word of one.
 */
const standOf = (said: Conclusion, { confirmed, status }: StatusThere): "agrees" | "denies" | "behind" => {
  if (isConclusion(status)) {
    if (!saySame(said, status)) return "denies"
    return leftBy(said).join() === leftBy(status).join() ? "agrees" : "behind"
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
  if (stands.has("agrees")) return { _tag: "Agreed", conclusion: said }
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
