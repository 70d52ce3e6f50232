/**
 * The place of a transfer in its transaction, which does not depend on the block (the block-wide `logIndex` of a node does). What
 * contracts send has a range of its own.
 */

export { native, ofLog } from "@bursar/network-kit/TransferIndex"

/**
 * The coin that contracts send, as it was numbered before 0.2: among all calls that asked to send any, those that failed
 * included, of which clients list different ones. Deposits that were recorded then keep these indices.
 */
export const formerInternal = { first: 2_000_000, last: 2_999_999 } as const

/** The first index of the coin that contracts send. */
export const internalFirst = 4_000_000

/**
 * The coin that a contract sends: the ordinal, in the order of execution, among the calls of the transaction that have moved any, the
 * transaction itself left out. Calls that moved nothing do not count, because clients disagree on which of them they list: those
 * without value, those that were reverted, and those that asked for more than there was.
 */
export const ofInternal = (ordinal: number): number => internalFirst + ordinal

/** The coin that a deposit of base mints to its sender and leaves there. */
export const minted = 3_000_000

/** A withdrawal of the beacon chain: its place in the block, which stands for the transaction that there is none of. */
export const ofWithdrawal = (ordinal: number): number => 5_000_000 + ordinal
