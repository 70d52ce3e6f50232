/** How much a watcher does at a time. */
export interface WatchLimits {
  /** New blocks read in one pass before confirmations and the other duties have their turn. */
  readonly blocksPerPassMax: number
  /** Blocks asked of the node at once. */
  readonly readAheadMax: number
  /** Blocks of the past read in one pass, shared by the backfills that are under way. */
  readonly backfillBlocksPerPassMax: number
  /** Backfills under way at once. */
  readonly backfillsMax: number
  /** The longest that a backfill, or an order for a block, is put off which fails again and again; it doubles from `retryFirstMs` on. */
  readonly backfillRetryLongestMs: number
  /** Deposits looked at in one pass to be confirmed. */
  readonly confirmationsPerPassMax: number
  /** Deposits put into one command. */
  readonly depositsPerCommandMax: number
  /** How many of the newest blocks are read again for addresses that are to be watched now. */
  readonly rereadBlocksMax: number
  /** How often those are read again. */
  readonly rereadIntervalMs: number
  /** How often a block is read in which a transaction cannot be read, before that transaction goes into quarantine. */
  readonly unreadTriesMax: number
  /** The most addresses whose balances are compared across a block of which something cannot be read. */
  readonly comparedAddressesMax: number
  /** Readings of the mempool in a row in which a transaction must be missing before its deposits are given up. */
  readonly mempoolAbsencesMax: number
  /** Waiting transactions kept in memory beside those that pay somebody here, for addresses that are watched only later. */
  readonly mempoolTransactionsMax: number
  /** How often it is looked at which arrivals nodes of other operators are to be asked about. */
  readonly secondNodeEveryMs: number
  /** How long such a node may take to give a block. */
  readonly secondNodeTimeoutMs: number
  /** The first and the longest wait after a pass that failed; it doubles in between. */
  readonly retryFirstMs: number
  readonly retryLongestMs: number
}

/** The limits that suit one network per process as well as six. */
export const defaultWatchLimits: WatchLimits = {
  blocksPerPassMax: 100,
  readAheadMax: 4,
  backfillBlocksPerPassMax: 50,
  backfillsMax: 16,
  backfillRetryLongestMs: 600_000,
  confirmationsPerPassMax: 500,
  depositsPerCommandMax: 200,
  rereadBlocksMax: 64,
  rereadIntervalMs: 60_000,
  unreadTriesMax: 4,
  comparedAddressesMax: 64,
  mempoolAbsencesMax: 3,
  mempoolTransactionsMax: 200_000,
  secondNodeEveryMs: 500,
  secondNodeTimeoutMs: 30_000,
  retryFirstMs: 250,
  retryLongestMs: 5_000
}

/** How long a backfill, or an order for a block, is put off that has failed so often before, in milliseconds. */
export const putOffMs = (
  { backfillRetryLongestMs, retryFirstMs }: Pick<WatchLimits, "backfillRetryLongestMs" | "retryFirstMs">,
  failures: number
): number => Math.min(backfillRetryLongestMs, retryFirstMs * 2 ** Math.min(failures, 20))
