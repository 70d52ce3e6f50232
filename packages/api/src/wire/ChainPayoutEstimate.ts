import { Schema } from "effect"
import { DecimalText, Money } from "./Money.ts"
import { Network } from "./Network.ts"
import { Timestamp } from "./Timestamp.ts"

const Usd = Schema.NullOr(DecimalText)

/** The tenant's limits on chain payouts, in USD; null where there is none. */
export const ChainPayoutLimits = Schema.Struct({
  per_payout_usd: Usd,
  daily_usd: Usd,
  daily_used_usd: Usd,
  new_address_daily_usd: Usd,
  review_at_or_above_usd: Usd
}).annotate({ identifier: "ChainPayoutLimits" })
/** The tenant's limits on chain payouts, in USD. */
export type ChainPayoutLimits = typeof ChainPayoutLimits.Type

/** What a chain payout would cost; unknown figures are null, and `usd_unavailable` names their currencies. */
export const ChainPayoutEstimate = Schema.Struct({
  network: Network,
  currency: Schema.String,
  amount: Money,
  fee: Money,
  fee_usd: Usd,
  network_fee: Schema.NullOr(Money),
  network_fee_usd: Usd,
  network_fee_charged_to_you: Schema.Boolean,
  recipient_holds_asset: Schema.NullOr(Schema.Boolean),
  assumed_worst_case: Schema.Boolean,
  total_usd: Usd,
  usd_unavailable: Schema.Array(Schema.String).annotate({
    description:
      "The currencies whose value in US dollars is missing, because there is no fresh price or, for the network's native asset, because the network fee is unknown."
  }),
  payouts_enabled: Schema.Boolean,
  payouts_disabled_reason: Schema.NullOr(Schema.String),
  limits: ChainPayoutLimits,
  estimated_at: Timestamp
}).annotate({ identifier: "ChainPayoutEstimate" })
/** What a chain payout would cost. */
export type ChainPayoutEstimate = typeof ChainPayoutEstimate.Type
