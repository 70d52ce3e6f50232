import { Schema } from "effect"
import { Money } from "./Money.ts"
import { OperationKind, OperationStatus } from "./OperationStatus.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** One leg of an operation on one account of the ledger. */
export const MovementLeg = Schema.Struct({
  account: Schema.String,
  direction: Schema.String.annotate({ description: "DEBIT or CREDIT." }),
  amount: Money,
  what: Schema.String.annotate({ description: "What the leg is: principal, fee, hold, release, …" }),
  posted_at: Timestamp
}).annotate({ identifier: "MovementLeg" })
/** One leg of an operation. */
export type MovementLeg = typeof MovementLeg.Type

/** The legs of one operation, oldest first. */
export const Movement = Schema.Struct({
  operation_id: Uuid,
  kind: OperationKind,
  status: OperationStatus,
  legs: Schema.Array(MovementLeg)
}).annotate({ identifier: "Movement" })
/** The legs of one operation. */
export type Movement = typeof Movement.Type
