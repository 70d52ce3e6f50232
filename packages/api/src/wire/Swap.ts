import { Schema } from "effect"
import { Money, MoneyIn } from "./Money.ts"
import { OperationStatus, Unresolved } from "./OperationStatus.ts"
import { CurrencyText, maybe, ReferenceText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** A conversion of part of the balance. */
export const CreateSwap = Schema.Struct({
  customer_id: maybe(Uuid),
  amount: MoneyIn,
  to_currency: CurrencyText,
  quote_id: maybe(Uuid),
  partner_reference: maybe(ReferenceText)
}).annotate({
  identifier: "CreateSwap",
  examples: [
    { amount: { amount: "100", currency: "USDT_TRON" }, to_currency: "USDC_BASE", partner_reference: "swap-9" }
  ]
})
/** A conversion of part of the balance. */
export type CreateSwap = typeof CreateSwap.Type

/** A conversion; `to_amount` is what was credited, once the custodian has reported what arrived. */
export const Swap = Schema.Struct({
  id: Uuid,
  status: OperationStatus,
  amount: Money,
  customer_fee: Money,
  to_amount_quoted: Schema.NullOr(Money),
  to_amount: Schema.NullOr(Money),
  partner_reference: Schema.NullOr(Schema.String),
  provider_reference: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp),
  unresolved: Unresolved
}).annotate({ identifier: "Swap" })
/** A conversion. */
export type Swap = typeof Swap.Type
