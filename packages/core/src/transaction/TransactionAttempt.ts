import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * A transaction that was signed: its bytes are stored before any node sees them, and sent again as they are. All that were signed
 * for one outbound transaction share its replay guard, so that at most one of them takes effect.
 */
export interface TransactionAttempt {
  readonly network: Network
  readonly hash: string
  readonly transactionId: string
  readonly raw: Uint8Array
  /** When it can no longer be included; null where it always can. */
  readonly validUntil: Timestamp | null
  /** The hash that it was signed to replace, null where it was the first. */
  readonly replaces: string | null
  /** The operations that it pays; a replacement may leave out what was cancelled. */
  readonly pays: ReadonlyArray<string>
  /** The most that it can cost, in base units of the native asset. */
  readonly feeMax: bigint
  readonly signedAt: Timestamp
  /** When a node was given it for the first time; null until then. */
  readonly sentAt: Timestamp | null
}

/** The key of a transaction: no two networks share a hash. */
export const attemptKey = (network: Network, hash: string): string => `${network}|${hash}`

/** Transactions by network and hash. The transactions of an outbound transaction are a group. */
export const TransactionAttempt = defineRecord<TransactionAttempt>({
  name: "TransactionAttempt",
  key: ({ hash, network }) => attemptKey(network, hash),
  group: ({ transactionId }) => transactionId
})
