import { Schema } from "effect"
import { pricingFields } from "./CommonDetails.ts"
import { Decimal, type DetailsWith } from "./fields.ts"

/** What only a SWAP has. */
export const swapFields = {
  ...pricingFields,
  to_currency: Schema.String,
  /** That people were asked whether it is to be sent at its quote still. */
  quote_overtaken: Schema.Boolean,
  /** What people were told that it would bring at the market when they were last asked that, in base units; absent where nobody knew, or it was nothing. */
  would_bring: Decimal,
  /** What the custodian said was received, in base units. */
  received: Decimal,
  /** Fees that the custodian took beside what was received, in base units. */
  fees_beside: Schema.Array(Schema.Struct({ currency: Schema.String, units: Decimal })),
  /** What the custodian told that it sold, where what it told could not be booked. */
  told_sold: Schema.Struct({ units: Decimal, currency: Schema.String }),
  /** The fees beside what was received that it told then. */
  told_fees: Schema.Array(Schema.Struct({ currency: Schema.String, units: Decimal }))
}

/** What only a SWAP has. */
export interface SwapDetails extends DetailsWith<typeof swapFields> {}
