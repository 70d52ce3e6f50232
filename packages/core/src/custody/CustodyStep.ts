import type { Timestamp } from "../base/Timestamp.ts"

/** The queue in which withdrawals and swaps wait for the custodian. The key is the operation's id. */
export const custodianQueue = "custodian"

/** How long to wait before the custodian is asked again: 1 s at first, doubling up to a minute. */
export const askAgainAt = (now: Timestamp, asked: number): Timestamp =>
  now + Math.min(60_000, 1_000 * 2 ** Math.min(asked, 6))
