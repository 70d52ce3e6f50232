import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import type { Transfer } from "../port/Chain.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"

/** A transfer of a network, by the transaction that moved it. */
export interface MovedBy extends Pick<Transfer, "innerHash" | "txHash"> {
  readonly network: Network
}

/** The hashes under which a transfer may be recorded. */
export const hashesOf = ({ innerHash, txHash }: Pick<Transfer, "innerHash" | "txHash">): ReadonlyArray<string> =>
  innerHash === undefined ? [txHash] : [txHash, innerHash]

/** What `attemptOf` reads. */
export const attemptReads = (moved: MovedBy): ReadonlyArray<Read> =>
  hashesOf(moved).map((hash) => readRecord(TransactionAttempt, attemptKey(moved.network, hash)))

/** The transaction of our own that moved something, be it inside of one by which somebody else bids for it; undefined where none did. */
export const attemptOf = (view: View, moved: MovedBy): TransactionAttempt | undefined =>
  hashesOf(moved)
    .map((hash) => view.get(TransactionAttempt, attemptKey(moved.network, hash)))
    .find((attempt) => attempt !== undefined)
