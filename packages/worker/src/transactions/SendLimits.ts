/** How a sender works. */
export interface SendLimits {
  /** Jobs taken in one pass. */
  readonly itemsPerPassMax: number
  /** Tenants whose payouts are put into outbound transactions at once, and as many whose accounts are looked at at once. */
  readonly tenantsAtOnce: number
  /** Outbound transactions that are built, signed and broadcast at once, and as many that are looked up at once. No tenant takes so many that none are left for others. */
  readonly transactionsAtOnce: number
  /** Records read at once. */
  readonly readsAtOnce: number
  /** Spends of one account that may be under way, where the network lets there be several. */
  readonly underWayMax: number
  /** How long to wait before the queue is read again, where no job was due. */
  readonly idleMs: number
  /** The first and the longest wait before an outbound transaction that was sent is looked up again; it grows with its age. */
  readonly checkFirstMs: number
  readonly checkLongestMs: number
  /** The longest wait where it only waits for outputs to come back that have left the chain, of which nothing is wanted any more. */
  readonly checkGivenUpLongestMs: number
  /** The first and the longest wait before something that could not be done is tried again; it doubles in between. */
  readonly retryFirstMs: number
  readonly retryLongestMs: number
  /** How often a transaction is replaced by a higher-fee one. */
  readonly replacementsMax: number
  /** For how long nothing may be known of an outcome until it is flagged; null for as long as the network's limits say. */
  readonly unresolvedAfterMs: number | null
}

/** The limits that suit one network per process as well as six. */
export const defaultSendLimits: SendLimits = {
  itemsPerPassMax: 2_000,
  tenantsAtOnce: 4,
  transactionsAtOnce: 128,
  readsAtOnce: 64,
  underWayMax: 2_000,
  idleMs: 500,
  checkFirstMs: 2_000,
  checkLongestMs: 60_000,
  checkGivenUpLongestMs: 3_600_000,
  retryFirstMs: 5_000,
  retryLongestMs: 300_000,
  replacementsMax: 20,
  unresolvedAfterMs: null
}
