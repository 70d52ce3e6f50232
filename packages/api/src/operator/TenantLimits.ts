import { Schema } from "effect"
import { DecimalText } from "../wire/Money.ts"

const used = { used_usd: DecimalText, window_hours: Schema.Int }

/** A limit over a window; both are null where there is none. */
const RollingLimit = Schema.Struct({
  limit_usd: Schema.NullOr(DecimalText),
  remaining_usd: Schema.NullOr(DecimalText),
  ...used
})

/** What a tenant may pay out and withdraw, and how much of that it has used. */
export const TenantLimits = Schema.Struct({
  payout_limit_usd: Schema.NullOr(DecimalText).annotate({ description: "Per payout; null for none." }),
  payouts: RollingLimit.annotate({ description: "On chains and through banks together." }),
  payouts_to_new_receivers: RollingLimit,
  withdrawals: RollingLimit
}).annotate({ identifier: "TenantLimits" })
/** What a tenant may pay out and withdraw. */
export type TenantLimits = typeof TenantLimits.Type
