import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

/** The tenant's own address for a currency, added and verified by operators. */
export const Destination = Schema.Struct({
  currency: Schema.String,
  address: Schema.String,
  memo: Schema.NullOr(Schema.String),
  label: Schema.String,
  verified: Schema.Boolean.annotate({
    description:
      "Whether withdrawals go there now: it is verified, past its waiting time, not rejected and not replaced. If no destination of the currency receives, the newest proposal is shown with `false`."
  }),
  verified_at: Schema.NullOr(Timestamp),
  rejected_at: Schema.NullOr(Timestamp),
  rejected_reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Destination" })
/** The tenant's own address for a currency. */
export type Destination = typeof Destination.Type
