import { Schema } from "effect"
import { Money, MoneyIn } from "./Money.ts"
import { OperationStatus, Unresolved } from "./OperationStatus.ts"
import { maybe, ReferenceText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** A withdrawal to the verified address of the currency; the destination is never a field. */
export const CreateWithdrawal = Schema.Struct({
  amount: MoneyIn,
  partner_reference: maybe(ReferenceText)
}).annotate({
  identifier: "CreateWithdrawal",
  examples: [{ amount: { amount: "250", currency: "USDC_BASE" }, partner_reference: "treasury-7" }]
})
/** A withdrawal to the verified address of the currency. */
export type CreateWithdrawal = typeof CreateWithdrawal.Type

/** A withdrawal. */
export const Withdrawal = Schema.Struct({
  id: Uuid,
  status: OperationStatus,
  amount: Money,
  customer_fee: Money,
  destination: Schema.NullOr(Schema.String),
  destination_memo: Schema.NullOr(Schema.String),
  partner_reference: Schema.NullOr(Schema.String),
  provider_reference: Schema.NullOr(Schema.String),
  network_fee: Schema.NullOr(Money).annotate({ description: "As reported on settlement; null is not zero." }),
  tx_hash: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp),
  unresolved: Unresolved
}).annotate({ identifier: "Withdrawal" })
/** A withdrawal. */
export type Withdrawal = typeof Withdrawal.Type
