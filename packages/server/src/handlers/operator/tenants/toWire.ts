import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { sourceName } from "../../../wire/sourceName.ts"

/** A tenant as operators see it. */
export const toWire = (
  { createdAt, id, kind, name, policy, slug, status }: Tenant,
  serviceName: string
): OperatorTenant => ({
  id,
  slug,
  name,
  kind,
  status,
  settings: {
    ip_allowlist: policy.ipAllowlist,
    tenant_ceiling_per_minute: policy.ceilingPerMinute,
    credit_sources: policy.creditOrigins.map((origin) => sourceName(origin, serviceName)),
    credit_historical: policy.creditHistorical,
    address_proof_required: policy.addressProofRequired,
    signatures_required: policy.signaturesRequired,
    hold_on_issuance: policy.holdOnIssuance,
    hold_on_import: policy.holdOnImport,
    hold_on_arrival: policy.holdOnArrival,
    withdrawals_enabled: policy.withdrawalsEnabled,
    withdrawal_limit_usd: policy.withdrawalLimitUsd,
    withdrawal_window_hours: policy.withdrawalWindowHours,
    withdrawal_review_usd: policy.withdrawalReviewUsd,
    destination_cooling_hours: policy.destinationCoolingHours,
    slippage_bps: policy.slippageBps,
    payouts_enabled: policy.payoutsEnabled,
    payouts_off_on: policy.payoutsOffOn,
    payout_limit_usd: policy.payoutLimitUsd,
    payout_daily_limit_usd: policy.payoutDailyLimitUsd,
    payout_new_address_limit_usd: policy.payoutNewAddressLimitUsd,
    payout_review_usd: policy.payoutReviewUsd,
    payout_minimums: policy.payoutMinimums,
    adjustment_review_usd: policy.adjustmentReviewUsd
  },
  created_at: toIso(createdAt)
})
