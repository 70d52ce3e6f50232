import type { Mempool, Transfer } from "@bursar/core/port/Chain"

/** What one term of leadership knows of the transactions that wait for a block. */
export interface MempoolWatch {
  readonly reader: Mempool
  /** What waits now, by transaction. */
  readonly waiting: Map<string, ReadonlyArray<Transfer>>
  /** The transactions among them that are still to be recorded. */
  readonly due: Set<string>
  /** In how many readings in a row the transaction of a deposit that has no block was missing, by the deposit's id. */
  readonly absences: Map<string, number>
}

/** A reader that begins with nothing seen, so that all that waits is told to this term again. */
export const makeMempoolWatch = (reader: Mempool): MempoolWatch => ({
  reader,
  waiting: new Map(),
  due: new Set(),
  absences: new Map()
})
