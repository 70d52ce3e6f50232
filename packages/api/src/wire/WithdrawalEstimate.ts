import { Schema } from "effect"
import { DecimalText, Money } from "./Money.ts"
import { Timestamp } from "./Timestamp.ts"

/** What a withdrawal would cost; `network_fee` and `amount_received` are null when the network cost is unknown. */
export const WithdrawalEstimate = Schema.Struct({
  amount: Money,
  fee: Money,
  fee_usd: Schema.NullOr(DecimalText),
  network_fee: Schema.NullOr(Money),
  network_fee_usd: Schema.NullOr(DecimalText),
  amount_received: Schema.NullOr(Money),
  usd_unavailable: Schema.Array(Schema.String),
  estimated_at: Timestamp
}).annotate({ identifier: "WithdrawalEstimate" })
/** What a withdrawal would cost. */
export type WithdrawalEstimate = typeof WithdrawalEstimate.Type

/** The rolling withdrawal limit in USD. */
export const DailyLimit = Schema.Struct({
  limit_usd: DecimalText,
  spent_usd: DecimalText,
  remaining_usd: DecimalText
}).annotate({ identifier: "DailyLimit" })
/** The rolling withdrawal limit in USD. */
export type DailyLimit = typeof DailyLimit.Type
