/** The place of a transfer in its transaction, which does not depend on the block. What contracts send has a range of its own. */

export { native, ofLog } from "@bursar/network-kit/TransferIndex"

/** The first index of the coin that contracts send. */
export const internalFirst = 2_000_000

/**
 * The coin that a contract sends: the ordinal among the internal transactions that ask to send any, in the order of execution.
 * Calls without value and stake operations do not count, because it depends on a node's settings whether it lists the latter;
 * rejected ones do, so that one payment failing does not move the others.
 */
export const ofInternal = (ordinal: number): number => internalFirst + ordinal
