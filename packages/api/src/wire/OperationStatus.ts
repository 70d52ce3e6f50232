import { Schema } from "effect"

/** The statuses of an operation. `unresolved` is a flag beside the status, never a status. */
export const operationStatuses = [
  "ACCEPTED",
  "IN_REVIEW",
  "AWAITING_FUNDS",
  "PROCESSING",
  "SENT",
  "SETTLED",
  "FAILED",
  "RETURNED"
] as const

/** Where an operation stands. */
export const OperationStatus = Schema.Literals(operationStatuses).annotate({ identifier: "OperationStatus" })
/** Where an operation stands. */
export type OperationStatus = typeof OperationStatus.Type

/** The kinds of operation that the register lists. */
export const operationKinds = [
  "DEPOSIT",
  "CHAIN_PAYOUT",
  "WITHDRAWAL",
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "INTERNAL_TRANSFER",
  "REFUND",
  "REVERSAL",
  "ADJUSTMENT"
] as const

/** What an operation is. */
export const OperationKind = Schema.Literals(operationKinds).annotate({ identifier: "OperationKind" })
/** What an operation is. */
export type OperationKind = typeof OperationKind.Type

/** Whom an operation is for. */
export const ActsFor = Schema.Literals(["TENANT", "CUSTOMER"]).annotate({ identifier: "ActsFor" })
/** Whom an operation is for. */
export type ActsFor = typeof ActsFor.Type

/** The outcome is not known yet; never to be read as settled or failed. */
export const Unresolved = Schema.Boolean.annotate({
  description: "The outcome is not known yet; do not treat it as settled or failed."
})
