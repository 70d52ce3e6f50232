import { Schema } from "effect"
import { DecimalText } from "./Money.ts"

/** Two currencies that can be converted now, with the market's rate. */
export const Pair = Schema.Struct({
  from_currency: Schema.String,
  to_currency: Schema.String,
  rate: DecimalText,
  rate_age_seconds: Schema.Int,
  minimum: Schema.NullOr(DecimalText).annotate({ description: "The custodian's minimum, or null." })
}).annotate({ identifier: "Pair" })
/** Two currencies that can be converted now. */
export type Pair = typeof Pair.Type

/** Every pair that can be converted now. */
export const PairList = Schema.Struct({ pairs: Schema.Array(Pair) }).annotate({ identifier: "PairList" })
/** Every pair that can be converted now. */
export type PairList = typeof PairList.Type
