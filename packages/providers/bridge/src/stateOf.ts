import type { TransferState } from "@bursar/core/port/FiatProvider"

/**
 * Our status of each of Bridge's states. Where money failed to arrive and has not yet come back, its fate is open: that is
 * `UNRESOLVED`, as is any state that is not listed here. `canceled` is reached from `awaiting_funds` alone, before money
 * moved. `refunded` says that the money is back where it came from.
 */
export const transferStates: Readonly<Record<string, TransferState["status"]>> = {
  awaiting_funds: "AWAITING_FUNDS",
  in_review: "IN_REVIEW",
  kyc_in_review: "IN_REVIEW",
  funds_received: "PROCESSING",
  payment_submitted: "SENT",
  payment_processed: "SETTLED",
  canceled: "FAILED",
  refunded: "RETURNED",
  undeliverable: "UNRESOLVED",
  returned: "UNRESOLVED",
  missing_return_policy: "UNRESOLVED",
  refund_in_flight: "UNRESOLVED",
  refund_failed: "UNRESOLVED",
  error: "UNRESOLVED"
}

/** Our status of a state of Bridge. */
export const stateOf = (state: string): TransferState["status"] =>
  Object.hasOwn(transferStates, state) ? (transferStates[state] ?? "UNRESOLVED") : "UNRESOLVED"
