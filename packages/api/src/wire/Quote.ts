import { Schema } from "effect"
import { DecimalText, Money, MoneyIn } from "./Money.ts"
import { CodeText, CurrencyText, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** The products that can be quoted. */
export const products = ["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "SWAP", "CHAIN_PAYOUT", "WITHDRAWAL"] as const

/** An operation to price. */
export const CreateQuote = Schema.Struct({
  product: CodeText.annotate({ description: `One of ${products.join(", ")}.` }),
  amount: MoneyIn,
  customer_id: maybe(Uuid),
  rail: maybe(CodeText),
  country: maybe(text(3, 2)),
  to_currency: maybe(CurrencyText)
}).annotate({
  identifier: "CreateQuote",
  examples: [{ product: "SWAP", amount: { amount: "100", currency: "USDT_TRON" }, to_currency: "USDC_BASE" }]
})
/** An operation to price. */
export type CreateQuote = typeof CreateQuote.Type

/** A price held for a short window; it reserves nothing. */
export const Quote = Schema.Struct({
  id: Uuid,
  expires_at: Timestamp,
  amount: Money,
  customer_fee: Money,
  amount_received: Money,
  exchange_rate: DecimalText,
  provider: Schema.String,
  binding_floor: DecimalText.annotate({
    description:
      "The least that the receiver gets, in the currency of amount_received. Of an ON_RAMP, both are what is announced to arrive, before the fee, and the floor binds nobody: what arrives is credited, less the fee. A WITHDRAWAL and a CHAIN_PAYOUT use no quote."
  }),
  rule_id: Schema.NullOr(Schema.String),
  to_currency: Schema.NullOr(Schema.String),
  rate_source: Schema.NullOr(Schema.String),
  rate_observed_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Quote" })
/** A price held for a short window. */
export type Quote = typeof Quote.Type
