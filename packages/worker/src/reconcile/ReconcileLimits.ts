/** How often places are compared with the books, and when a difference is an alarm. */
export interface ReconcileLimits {
  /** At the latest so long after the last time. */
  readonly everyMs: number
  /** How often it is looked whether something was booked, after which a network is compared at once. */
  readonly pollMs: number
  /** At the earliest so long after the last time. */
  readonly atLeastMs: number
  /** After how long a difference is looked at again before it is a break. */
  readonly secondLookMs: number
  /** For how long the watcher may lag behind what was read. */
  readonly waitMs: number
  /** How much later or earlier than the books a provider's statement may show something. */
  readonly statementGraceMs: number
  /** For how long there may be a break until it is an alarm. */
  readonly alarmAfterMs: number
  /** What alarms nobody, in base units by currency; nothing where one is not named. */
  readonly tolerances: ReadonlyMap<string, bigint>
  /**
   * Whether an alarm over what is missing stops what leaves from its place, of all tenants, until somebody resumes it: chain payouts on a
   * network, and orders to a custodian or a bank.
   */
  readonly onAlarm: "tell" | "stop_payouts"
  /** A URL of the operators' own that each alarm is posted to; null for none. */
  readonly alarmUrl: string | null
}

/** Every five minutes and after each booking; an alarm after a quarter of an hour, which stops nothing. */
export const defaultReconcileLimits: ReconcileLimits = {
  everyMs: 300_000,
  pollMs: 15_000,
  atLeastMs: 30_000,
  secondLookMs: 3_000,
  waitMs: 60_000,
  statementGraceMs: 86_400_000,
  alarmAfterMs: 900_000,
  tolerances: new Map(),
  onAlarm: "tell",
  alarmUrl: null
}
