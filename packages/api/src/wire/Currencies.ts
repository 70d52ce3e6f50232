import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

/** A currency and what can be done with it. */
export const Currency = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  kind: Schema.Literals(["COIN", "TOKEN", "FIAT"]),
  network: Schema.NullOr(Schema.String),
  custodian_lists: Schema.NullOr(Schema.Boolean).annotate({
    description: "Null, not false, when the custodian could not be reached."
  }),
  priced: Schema.Boolean,
  payable_out: Schema.Boolean
}).annotate({ identifier: "Currency" })
/** A currency and what can be done with it. */
export type Currency = typeof Currency.Type

/** Every currency. */
export const Currencies = Schema.Struct({
  currencies: Schema.Array(Currency),
  custodian_read: Schema.Boolean,
  as_of: Timestamp
}).annotate({ identifier: "Currencies" })
/** Every currency. */
export type Currencies = typeof Currencies.Type
