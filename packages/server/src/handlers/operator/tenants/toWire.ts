import { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { toIso } from "@bursar/core/base/Timestamp"
import { parseDecimal } from "@bursar/core/money/Rate"
import { addressOrigins, defaultPolicy, type Tenant, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { Result, Schema } from "effect"
import { sourceName } from "../../../wire/sourceName.ts"

const settingsOf = (policy: TenantPolicy, serviceName: string): OperatorTenant["settings"] => ({
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
})

const areSettings = Schema.is(OperatorTenant.fields.settings)

/** The figures of a policy in dollars: none is below zero. */
const figuresOf = (policy: TenantPolicy): ReadonlyArray<string | null> => [
  policy.withdrawalLimitUsd,
  policy.withdrawalReviewUsd,
  policy.payoutLimitUsd,
  policy.payoutDailyLimitUsd,
  policy.payoutNewAddressLimitUsd,
  policy.payoutReviewUsd,
  policy.adjustmentReviewUsd
]

const isSound = (policy: TenantPolicy, serviceName: string): boolean =>
  Result.getOrElse(
    Result.try(
      () =>
        areSettings(settingsOf(policy, serviceName)) &&
        policy.creditOrigins.every((origin) => addressOrigins.includes(origin)) &&
        figuresOf(policy).every((usd) => usd === null || parseDecimal(usd) !== undefined)
    ),
    () => false
  )

/** The parts of a policy that are of another form, as a list that is none: somebody has written them into the row. */
const strangeIn = (policy: TenantPolicy, serviceName: string): ReadonlyArray<keyof TenantPolicy> => {
  if (isSound(policy, serviceName)) return []
  const names = Object.keys(defaultPolicy) as ReadonlyArray<keyof TenantPolicy> // the keys of that very object
  return names.filter((name) => !isSound({ ...defaultPolicy, [name]: policy[name] }, serviceName))
}

const problemIn = (strange: ReadonlyArray<string>): string =>
  `no setting can be what it says of ${strange.join(", ")}, and the defaults are shown`

/** A policy as operators are shown it, with the default of each setting that is of another form, and the names of these. */
export const shownPolicy = (policy: TenantPolicy, serviceName: string) => {
  const strange = strangeIn(policy, serviceName)
  const shown: TenantPolicy = {
    ...policy,
    ...Object.fromEntries(strange.map((one) => [one, defaultPolicy[one]]))
  }
  return { shown, strange }
}

/** A tenant as operators see it. One with a setting of another form is shown and named as such: whoever suspends the tenant gets an answer all the same. */
export const toWire = (
  { createdAt, id, kind, name, policy, slug, status }: Tenant,
  serviceName: string
): OperatorTenant => {
  const { shown, strange } = shownPolicy(policy, serviceName)
  return {
    id,
    slug,
    name,
    kind,
    status,
    ...(strange.length > 0 && { problem: problemIn(strange) }),
    settings: settingsOf(shown, serviceName),
    created_at: toIso(createdAt)
  }
}
