import { Schema } from "effect"
import { DecimalText } from "./Money.ts"
import { Timestamp } from "./Timestamp.ts"

/** One fee rule; null fields match anything. */
export const FeeSchedule = Schema.Struct({
  product: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Schema.String),
  rail: Schema.NullOr(Schema.String),
  percent: DecimalText.annotate({ description: "A percentage: 2 means 2 percent." }),
  minimum_fee: DecimalText,
  priority: Schema.Int,
  effective_from: Timestamp
}).annotate({ identifier: "FeeSchedule" })
/** One fee rule. */
export type FeeSchedule = typeof FeeSchedule.Type

/** The fee rules in the order applied; indicative, a quote is the price charged. */
export const Fees = Schema.Struct({ fees: Schema.Array(FeeSchedule) }).annotate({ identifier: "Fees" })
/** The fee rules in the order applied. */
export type Fees = typeof Fees.Type
