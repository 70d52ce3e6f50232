import type { Timestamp } from "../base/Timestamp.ts"
import type { Account } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import { defineRecord } from "../engine/Records.ts"

/** Where a proposed adjustment stands: BOOKED and REJECTED are final. */
export const adjustmentStates = ["PROPOSED", "BOOKED", "REJECTED"] as const

/** Where a proposed adjustment stands. */
export type AdjustmentState = (typeof adjustmentStates)[number]

/** A correction of a float, or of where its value stands, that one operator proposes and another approves. No leg is posted before that. */
export interface FloatAdjustment {
  readonly id: string
  /** Above zero adds to the float, below takes from it. */
  readonly amount: Amount
  /** The account that holds the value against the float, or that gets what is moved. */
  readonly against: Account
  /** Where the value stood that is moved to `against`; null where the float changes. */
  readonly from: Account | null
  /** The operation whose arrival in suspense it assigns, which nothing else assigns while it waits; null where it assigns none. */
  readonly assigns: string | null
  /** The operation of which it corrects what was booked with a provider; null where it is an operation of its own. */
  readonly corrects: string | null
  readonly reason: string
  readonly proposedBy: string
  readonly state: AdjustmentState
  /** Who approved or rejected it. An approver is never the one who proposed it. */
  readonly decidedBy: string | null
  readonly rejectedReason: string | null
  /** The ADJUSTMENT that it became. */
  readonly operationId: string | null
  readonly createdAt: Timestamp
  readonly decidedAt: Timestamp | null
}

/** The group of the proposals of a tenant that wait. */
export const waitingAdjustments = "waiting"

/** Adjustments by their ids. The proposals that wait are a group. */
export const FloatAdjustment = defineRecord<FloatAdjustment>({
  name: "FloatAdjustment",
  key: ({ id }) => id,
  group: ({ state }) => (state === "PROPOSED" ? waitingAdjustments : null)
})
