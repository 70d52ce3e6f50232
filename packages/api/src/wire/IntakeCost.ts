import { Schema } from "effect"
import { Money } from "./Money.ts"
import { CurrencyText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** What the network took for bringing in deposits of a currency. */
export const IntakeFee = Schema.Struct({
  currency: CurrencyText,
  amount: Money.fields.amount,
  usd: Schema.NullOr(Schema.String).annotate({
    description: "The value in US dollars when each was paid; null if a price was unknown."
  })
}).annotate({ identifier: "IntakeFee" })

/** What bringing in deposits of a currency has cost. */
export const CurrencyIntakeCost = Schema.Struct({
  currency: CurrencyText,
  count: Schema.Int.annotate({ description: "The number of sweeps that moved something." }),
  network_fees: Schema.Array(IntakeFee).annotate({
    description: "The network fees of these sweeps and their top-ups, including those that had no effect."
  }),
  since: Timestamp,
  until: Timestamp
}).annotate({ identifier: "CurrencyIntakeCost" })

/** What funding the balance through the custody of the service costs, from its own measurements. */
export const IntakeCost = Schema.Struct({
  measurable: Schema.Boolean.annotate({ description: "Whether there is anything to measure." }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why nothing can be measured; otherwise null." }),
  currencies: Schema.Array(CurrencyIntakeCost)
}).annotate({ identifier: "IntakeCost" })
/** What funding the balance through the custody of the service costs. */
export type IntakeCost = typeof IntakeCost.Type
