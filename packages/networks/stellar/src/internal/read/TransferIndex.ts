/**
 * Where a transfer stands in its transaction. A transaction has 100 operations at most, so the ranges are disjoint; both follow
 * from the order in which the network applies, and a closed ledger never changes.
 */

/** Operations, counted from 0 in the order of the transaction. */
export const ofOperation = (operation: number): number => operation

/** The first index of what contracts move. */
export const changesFirst = 1_000

/**
 * What a contract moved: the place of the change among the `asset_balance_changes` of its operation, counted from 0 and counting
 * all of them, in thousands, and the operation.
 */
export const ofBalanceChange = (operation: number, change: number): number => changesFirst * (change + 1) + operation
