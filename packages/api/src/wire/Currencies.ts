import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

/** A currency and what can be done with it. */
export const Currency = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  kind: Schema.Literals(["COIN", "TOKEN", "FIAT"]),
  network: Schema.NullOr(Schema.String),
  custodian_lists: Schema.NullOr(Schema.Boolean).annotate({
    description: "Null, not false, when the custodian could not be reached, or the tenant has none."
  }),
  priced: Schema.Boolean,
  payable_out: Schema.Boolean.annotate({
    description:
      "Whether the tenant can pay it out now: fiat by a BANK_TRANSFER, everything else by a chain payout. A tenant's own limits and wallets are not looked at."
  })
}).annotate({ identifier: "Currency" })
/** A currency and what can be done with it. */
export type Currency = typeof Currency.Type

/** Every currency. */
export const Currencies = Schema.Struct({
  currencies: Schema.Array(Currency),
  custodian_read: Schema.Boolean.annotate({
    description: "False when the custodian could not be reached, or the tenant has none."
  }),
  as_of: Timestamp
}).annotate({ identifier: "Currencies" })
/** Every currency. */
export type Currencies = typeof Currencies.Type
