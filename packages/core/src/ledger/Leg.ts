import type { Timestamp } from "../base/Timestamp.ts"
import type { Account, Side } from "./Account.ts"

/** What a leg is for. A `shortfall` is what has left a place without having been booked in there, and what covers it. */
export const legPurposes = [
  "hold",
  "release",
  "principal",
  "fee",
  "network_fee",
  "convert_out",
  "convert_in",
  "return",
  "reversal",
  "sweep",
  "top_up",
  "adjustment",
  "shortfall"
] as const

/** What a leg is for. */
export type LegPurpose = (typeof legPurposes)[number]

/** One side of a posting: `units` (above zero, base units) of a currency on one side of an account. */
export interface Leg {
  readonly account: Account
  readonly currency: string
  readonly direction: Side
  readonly units: bigint
  readonly what: LegPurpose
}

/**
 * A leg as it stands in the books: with the account's running balance after it (signed, positive on the normal side)
 * and the account's version, which counts its legs from 1 without a gap.
 */
export interface PostedLeg extends Leg {
  readonly operationId: string
  /** The posting it belongs to: counts up per tenant without a gap. */
  readonly postingSeq: number
  /** Its place in the posting, from 0. */
  readonly ordinal: number
  readonly balance: bigint
  readonly version: number
  readonly postedAt: Timestamp
}

/** What an account holds of a currency: the signed balance and how many legs made it. */
export interface Balance {
  readonly account: Account
  readonly currency: string
  readonly units: bigint
  readonly version: number
}
