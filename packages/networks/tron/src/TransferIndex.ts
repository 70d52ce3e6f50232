/**
 * Where a transfer stands in its transaction. Three disjoint ranges keep tokens, the coin sent by the transaction itself and
 * the coin sent by contracts apart. None of them depends on the block, so a transaction that is mined again keeps its indices.
 */

/** Tokens: the ordinal of the log in `log[]` of the transaction's info, counting all logs. */
export const ofLog = (ordinal: number): number => ordinal

/** The coin that the transaction itself sends: the amount of a TransferContract, the `call_value` of a TriggerSmartContract. */
export const native = 1_000_000

/** The first index of the coin that contracts send. */
export const internalFirst = 2_000_000

/**
 * The coin that a contract sends: the ordinal among the internal transactions that ask to send any, in the order of execution.
 * Calls without value and stake operations do not count, because it depends on a node's settings whether it lists the latter;
 * rejected ones do, so that one payment failing does not move the others.
 */
export const ofInternal = (ordinal: number): number => internalFirst + ordinal
