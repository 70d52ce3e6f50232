/** What an event is about: a deposit, an operation of the register, or an extended public key. */
export type EventResourceType = "deposit" | "operation" | "xpub"

/** Every kind of event, with the type of resource that its `resource_id` names. */
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
} as const satisfies Record<string, EventResourceType>

/** A kind of event. Kinds may be added within v1. */
export type EventKind = keyof typeof eventKinds

/** Whether a text is a kind of event known here. */
export const isEventKind = (text: string): text is EventKind => Object.hasOwn(eventKinds, text)
