import { Schema } from "effect"
import { Money } from "./Money.ts"
import { ActsFor, OperationKind, OperationStatus, Unresolved } from "./OperationStatus.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** One operation in the register. */
export const RegisterEntry = Schema.Struct({
  id: Uuid,
  kind: OperationKind,
  status: OperationStatus,
  amount: Money,
  customer_fee: Money,
  to_amount: Schema.NullOr(Money),
  to_amount_quoted: Schema.NullOr(Money),
  customer_id: Schema.NullOr(Uuid),
  acts_for: ActsFor,
  provider: Schema.NullOr(Schema.String),
  provider_reference: Schema.NullOr(Schema.String),
  partner_reference: Schema.NullOr(Schema.String),
  network_fee: Schema.NullOr(Money),
  tx_hash: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp),
  unresolved: Unresolved
}).annotate({ identifier: "RegisterEntry" })
/** One operation in the register. */
export type RegisterEntry = typeof RegisterEntry.Type

/** Operations, newest first. */
export const RegisterPage = Schema.Struct({
  entries: Schema.Array(RegisterEntry),
  next_cursor: Schema.NullOr(Schema.String).annotate({ description: "Opaque; valid only with the same filters." })
}).annotate({ identifier: "RegisterPage" })
/** Operations, newest first. */
export type RegisterPage = typeof RegisterPage.Type

/** Count and sums of one kind, currency and status. */
export const CategoryTotal = Schema.Struct({
  kind: OperationKind,
  currency: Schema.String,
  status: OperationStatus,
  count: Schema.Int,
  amount: Money,
  customer_fee: Money
}).annotate({ identifier: "CategoryTotal" })
/** Count and sums of one kind, currency and status. */
export type CategoryTotal = typeof CategoryTotal.Type

/** Totals of the operations of a period. */
export const RegisterSummary = Schema.Struct({
  since: Schema.NullOr(Timestamp),
  until: Schema.NullOr(Timestamp),
  totals: Schema.Array(CategoryTotal)
}).annotate({ identifier: "RegisterSummary" })
/** Totals of the operations of a period. */
export type RegisterSummary = typeof RegisterSummary.Type
