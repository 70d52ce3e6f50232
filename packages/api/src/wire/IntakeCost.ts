import { Schema } from "effect"
import { Money } from "./Money.ts"
import { CurrencyText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** What the network took for bringing in deposits of a currency. */
export const IntakeFee = Schema.Struct({
  currency: CurrencyText,
  amount: Money.fields.amount,
  usd: Schema.NullOr(Schema.String).annotate({
    description: "What it was worth when each was paid; null once a price was not known."
  })
}).annotate({ identifier: "IntakeFee" })

/** What bringing in deposits of a currency has cost. */
export const CurrencyIntakeCost = Schema.Struct({
  currency: CurrencyText,
  count: Schema.Int.annotate({ description: "Sweeps that moved something." }),
  network_fees: Schema.Array(IntakeFee).annotate({
    description: "Of these sweeps and of the top-ups before them, those that came to nothing included."
  }),
  since: Timestamp,
  until: Timestamp
}).annotate({ identifier: "CurrencyIntakeCost" })

/** What funding the balance through the custody of the service costs, from its own measurements. */
export const IntakeCost = Schema.Struct({
  measurable: Schema.Boolean.annotate({ description: "Whether there is anything to measure." }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why there is not; null where there is." }),
  currencies: Schema.Array(CurrencyIntakeCost)
}).annotate({ identifier: "IntakeCost" })
/** What funding the balance through the custody of the service costs. */
export type IntakeCost = typeof IntakeCost.Type
