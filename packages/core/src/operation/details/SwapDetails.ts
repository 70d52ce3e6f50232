import { Schema } from "effect"
import { pricingFields } from "./CommonDetails.ts"
import { Decimal, type DetailsWith } from "./fields.ts"

/** What only a SWAP has. */
export const swapFields = {
  ...pricingFields,
  to_currency: Schema.String,
  /** That people were asked whether it is to be sent at its quote still. */
  quote_overtaken: Schema.Boolean,
  /** What it was going to bring at the market when people were asked that, or when it was sent after they had approved it, in base units. */
  would_bring: Decimal,
  /** What the custodian said was received, in base units. */
  received: Decimal,
  /** Fees that the custodian took beside what was received, in base units. */
  fees_beside: Schema.Array(Schema.Struct({ currency: Schema.String, units: Decimal }))
}

/** What only a SWAP has. */
export interface SwapDetails extends DetailsWith<typeof swapFields> {}
