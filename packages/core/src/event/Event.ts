import type { Json } from "../base/Json.ts"
import type { Timestamp } from "../base/Timestamp.ts"

/** The outcomes that are told to partners, with the kind of record each is about. */
export const eventKinds = {
  "deposit.detected": "deposit",
  "deposit.confirmed": "deposit",
  "deposit.reorged": "deposit",
  "deposit.settled": "operation",
  "chain_payout.settled": "operation",
  "chain_payout.failed": "operation",
  "chain_payout.unresolved": "operation",
  "withdrawal.settled": "operation",
  "withdrawal.failed": "operation",
  "withdrawal.unresolved": "operation",
  "swap.settled": "operation",
  "swap.failed": "operation",
  "swap.unresolved": "operation",
  "payout.settled": "operation",
  "payout.failed": "operation",
  "payout.unresolved": "operation",
  "payout.returned": "operation",
  "transfer.settled": "operation",
  "transfer.failed": "operation",
  "transfer.unresolved": "operation",
  "transfer.returned": "operation",
  "xpub.registered": "xpub",
  "xpub.retired": "xpub"
} as const

/** The kind of an event. */
export type EventKind = keyof typeof eventKinds

/** A row of the feed. Ids count up per tenant without a gap, in the order of commits. */
export interface Event {
  readonly id: number
  readonly kind: EventKind
  readonly resourceId: string
  readonly occurredAt: Timestamp
  readonly data: { readonly [key: string]: Json }
}
