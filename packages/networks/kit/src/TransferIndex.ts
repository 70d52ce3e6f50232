/**
 * The place of a transfer in its transaction, for networks that run contracts. Disjoint ranges keep tokens, the native asset that the
 * transaction itself sends, and what contracts send apart. No index depends on the block, so a transaction that is mined again keeps
 * its indexes.
 */

/** A token: the ordinal of its log in the receipt of the transaction, counting all logs. */
export const ofLog = (ordinal: number): number => ordinal

/** The native asset that the transaction itself sends. */
export const native = 1_000_000
