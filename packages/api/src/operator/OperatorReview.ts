import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { OperationStatus } from "../wire/OperationStatus.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { receiverFields } from "./receiverFields.ts"
import { UnreadableOperations } from "./UnreadableOperation.ts"

/** An operation that waits, or waited, for an operator's word. */
export const OperatorReview = Schema.Struct({
  id: Uuid,
  kind: Schema.String,
  status: OperationStatus,
  amount: Money,
  customer_fee: Money,
  worth_usd: Schema.NullOr(Schema.String).annotate({ description: "Its value in US dollars when it was accepted." }),
  ...receiverFields,
  review: Schema.NullOr(Schema.Literals(["PENDING", "APPROVED", "REJECTED"])),
  reviewed_by: Schema.NullOr(Schema.String),
  reviewed_at: Schema.NullOr(Timestamp),
  reason: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  created_at: Timestamp
}).annotate({ identifier: "OperatorReview" })
/** An operation that waits, or waited, for an operator's word. */
export type OperatorReview = typeof OperatorReview.Type

/** The queue of reviews of a tenant, newest first. */
export const OperatorReviewList = Schema.Struct({
  reviews: Schema.Array(OperatorReview),
  unreadable: UnreadableOperations
}).annotate({ identifier: "OperatorReviewList" })

/** Why an operation is rejected. */
export const RejectReview = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "RejectReview",
  examples: [{ reason: "The tenant does not know the receiver." }]
})
