import { Schema } from "effect"
import { DecimalText } from "./Money.ts"

/** How many requests the key may make, and related figures. */
export const RequestLimits = Schema.Struct({
  reads_per_minute: Schema.Int,
  writes_per_minute: Schema.Int,
  tenant_ceiling_per_minute: Schema.NullOr(Schema.Int),
  window_seconds: Schema.Int,
  idempotency_key_max_length: Schema.Int,
  quote_lifetime_seconds: Schema.Int
}).annotate({ identifier: "RequestLimits" })
/** How many requests the key may make. */
export type RequestLimits = typeof RequestLimits.Type

/** The rolling withdrawal limit. */
export const MoneyLimits = Schema.Struct({
  withdrawal_limit_usd: DecimalText,
  withdrawal_spent_usd: DecimalText,
  withdrawal_remaining_usd: DecimalText,
  withdrawal_window_hours: Schema.Int
}).annotate({ identifier: "MoneyLimits" })
/** The rolling withdrawal limit. */
export type MoneyLimits = typeof MoneyLimits.Type

/** The limits applied to the key. */
export const KeyLimits = Schema.Struct({
  requests: RequestLimits,
  money: MoneyLimits
}).annotate({ identifier: "Limits" })
/** The limits applied to the key. */
export type KeyLimits = typeof KeyLimits.Type
