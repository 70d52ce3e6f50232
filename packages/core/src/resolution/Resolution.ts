import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { OperationKind } from "../operation/Operation.ts"
import { defineRecord } from "../engine/Records.ts"

/** What an operation is said to have come to. RETURNED is for fiat transfers alone. */
export const resolutionOutcomes = ["SETTLED", "FAILED", "RETURNED"] as const

/** What an operation is said to have come to. */
export type ResolutionOutcome = (typeof resolutionOutcomes)[number]

/** What a resolution stands on: a transaction that the chain has proven, or what the provider has stated outside its interface. */
export const resolutionBases = ["CHAIN", "PROVIDER"] as const

/** What a resolution stands on. */
export type ResolutionBasis = (typeof resolutionBases)[number]

/** Where a resolution stands: APPLIED and REJECTED are final. */
export const resolutionStates = ["PROPOSED", "APPLIED", "REJECTED"] as const

/** Where a resolution stands. */
export type ResolutionState = (typeof resolutionStates)[number]

/** What somebody says that became of an order, as one operator writes it down. */
export interface Statement {
  readonly outcome: ResolutionOutcome
  readonly basis: ResolutionBasis
  /** Where it can be looked up: a ticket, a letter, a line of a statement, a transaction. */
  readonly reference: string
  /** Who says so. */
  readonly source: string
  /** What was said. */
  readonly text: string
  /** The provider's own id of the order; null where the operation has it already or it is not known. */
  readonly providerReference: string | null
  readonly txHash: string | null
  /** What arrived: of a swap, an ON_RAMP, a transfer that paid out or came back. Null where nothing is told of it. */
  readonly received: Amount | null
  /** What the network took for a withdrawal, and who bore it. Null where it is not known, which is not zero. */
  readonly networkFee: { readonly amount: Amount; readonly borneBy: "RECEIVER" | "SERVICE" } | null
}

/**
 * An operator's word on an order that a provider does not answer for, which another operator approves. It then goes the way of the
 * provider's own answer; no status is written by it.
 */
export interface Resolution extends Statement {
  readonly id: string
  readonly operationId: string
  readonly state: ResolutionState
  readonly proposedBy: string
  /** What the provider had said last of the order when it was proposed; null where it had said nothing. */
  readonly said: string | null
  /** What was said against the operation before it was proposed, each in writing (`notedOf`). */
  readonly noted: ReadonlyArray<string>
  /** Who approved or rejected it. An approver is never the one who proposed it. */
  readonly decidedBy: string | null
  readonly rejectedReason: string | null
  readonly createdAt: Timestamp
  readonly decidedAt: Timestamp | null
}

/** The kinds that are carried out by a provider, and so may wait for its word. A chain payout has the chain's. */
export const resolvableKinds = [
  "WITHDRAWAL",
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "REFUND"
] as const satisfies ReadonlyArray<OperationKind>

/** A kind whose outcome operators can resolve. */
export type ResolvableKind = (typeof resolvableKinds)[number]

/** Whether operators can resolve the outcome of a kind. */
export const isResolvable = (kind: OperationKind): kind is ResolvableKind => resolvableKinds.some((one) => one === kind)

/** Resolutions by their ids. Those of an operation are a group. */
export const Resolution = defineRecord<Resolution>({
  name: "Resolution",
  key: ({ id }) => id,
  group: ({ operationId }) => operationId
})
