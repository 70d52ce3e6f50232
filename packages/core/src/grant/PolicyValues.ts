import { Option, Result, Schema } from "effect"
import { environments } from "../base/Environment.ts"
import { addressOrigins, defaultPolicy, signedProducts, type Tenant, type TenantPolicy } from "../tenant/Tenant.ts"
import { Decimal, Digits, Name, readableSome } from "./fields.ts"

const limit = Schema.NullOr(Decimal)
const names = Schema.Array(Name).check(Schema.isMaxLength(100))

/** What is agreed with a tenant, as a grant holds it: all of it, so that nothing is left to a row. */
export const PolicyValues = Schema.Struct({
  /** For good: a tenant never changes its environment. Grants of a version before this was granted do not have it, and nothing leaves by them. */
  environment: Schema.optionalKey(Schema.Literals(environments)),
  ip_allowlist: Schema.NullOr(Schema.Array(readableSome(64)).check(Schema.isMaxLength(200))),
  ceiling_per_minute: Schema.NullOr(Digits),
  credit_origins: Schema.Array(Schema.Literals(addressOrigins)).check(Schema.isMaxLength(addressOrigins.length)),
  credit_historical: Schema.Boolean,
  address_proof_required: Schema.Boolean,
  signatures_required: Schema.Array(Schema.Literals(signedProducts)).check(Schema.isMaxLength(signedProducts.length)),
  hold_on_issuance: Schema.Boolean,
  hold_on_import: Schema.Boolean,
  hold_on_arrival: Schema.Boolean,
  withdrawals_enabled: Schema.Boolean,
  withdrawal_limit_usd: Decimal,
  withdrawal_window_hours: Digits,
  withdrawal_review_usd: limit,
  destination_cooling_hours: Digits,
  slippage_bps: Digits,
  payouts_enabled: Schema.Boolean,
  payouts_off_on: names,
  payout_limit_usd: limit,
  payout_daily_limit_usd: limit,
  payout_new_address_limit_usd: limit,
  payout_review_usd: limit,
  payout_minimums: Schema.Record(Name, Decimal),
  adjustment_review_usd: limit
})

/** What is agreed with a tenant, as a grant holds it. */
export type PolicyValues = typeof PolicyValues.Type

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text))

/** The policy that a grant holds. */
export const policyOf = (values: PolicyValues): TenantPolicy => ({
  ipAllowlist: values.ip_allowlist,
  ceilingPerMinute: numberOrNull(values.ceiling_per_minute),
  creditOrigins: values.credit_origins,
  creditHistorical: values.credit_historical,
  addressProofRequired: values.address_proof_required,
  signaturesRequired: values.signatures_required,
  holdOnIssuance: values.hold_on_issuance,
  holdOnImport: values.hold_on_import,
  holdOnArrival: values.hold_on_arrival,
  withdrawalsEnabled: values.withdrawals_enabled,
  withdrawalLimitUsd: values.withdrawal_limit_usd,
  withdrawalWindowHours: Number(values.withdrawal_window_hours),
  withdrawalReviewUsd: values.withdrawal_review_usd,
  destinationCoolingHours: Number(values.destination_cooling_hours),
  slippageBps: Number(values.slippage_bps),
  payoutsEnabled: values.payouts_enabled,
  payoutsOffOn: values.payouts_off_on,
  payoutLimitUsd: values.payout_limit_usd,
  payoutDailyLimitUsd: values.payout_daily_limit_usd,
  payoutNewAddressLimitUsd: values.payout_new_address_limit_usd,
  payoutReviewUsd: values.payout_review_usd,
  payoutMinimums: values.payout_minimums,
  adjustmentReviewUsd: values.adjustment_review_usd
})

/** What of a tenant is agreed with it. */
export type AgreedWith = Pick<Tenant, "kind" | "policy">

const plain = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/u, "") : text)

const plainOrNull = (text: string | null): string | null => (text === null ? null : plain(text))

/** What is agreed with a tenant, as its row says it and a grant would hold it. */
export const policyValues = ({ kind, policy }: AgreedWith): PolicyValues => ({
  environment: kind,
  ip_allowlist: policy.ipAllowlist,
  ceiling_per_minute: policy.ceilingPerMinute === null ? null : String(policy.ceilingPerMinute),
  credit_origins: policy.creditOrigins,
  credit_historical: policy.creditHistorical,
  address_proof_required: policy.addressProofRequired,
  signatures_required: policy.signaturesRequired,
  hold_on_issuance: policy.holdOnIssuance,
  hold_on_import: policy.holdOnImport,
  hold_on_arrival: policy.holdOnArrival,
  withdrawals_enabled: policy.withdrawalsEnabled,
  withdrawal_limit_usd: plain(policy.withdrawalLimitUsd),
  withdrawal_window_hours: String(policy.withdrawalWindowHours),
  withdrawal_review_usd: plainOrNull(policy.withdrawalReviewUsd),
  destination_cooling_hours: String(policy.destinationCoolingHours),
  slippage_bps: String(policy.slippageBps),
  payouts_enabled: policy.payoutsEnabled,
  payouts_off_on: policy.payoutsOffOn,
  payout_limit_usd: plainOrNull(policy.payoutLimitUsd),
  payout_daily_limit_usd: plainOrNull(policy.payoutDailyLimitUsd),
  payout_new_address_limit_usd: plainOrNull(policy.payoutNewAddressLimitUsd),
  payout_review_usd: plainOrNull(policy.payoutReviewUsd),
  payout_minimums: Object.fromEntries(Object.entries(policy.payoutMinimums).map(([key, value]) => [key, plain(value)])),
  adjustment_review_usd: plainOrNull(policy.adjustmentReviewUsd)
})

const decodePolicyValues = Schema.decodeUnknownOption(PolicyValues)

const someValues = policyValues({ kind: "LIVE", policy: defaultPolicy })

const canSay = (part: { readonly [F in keyof PolicyValues]?: unknown }): boolean =>
  Option.isSome(decodePolicyValues({ ...someValues, ...part }))

/** Which of some values no policy can say. */
export const unsayable = (values: PolicyValues): ReadonlyArray<keyof PolicyValues> =>
  (Object.keys(values) as ReadonlyArray<keyof PolicyValues>).filter((name) => !canSay({ [name]: values[name] })) // the keys of that very object

/** What a tenant's row says, as a grant holds it; none where the row says what no policy can say. */
export const readPolicyValues = (tenant: AgreedWith): Option.Option<PolicyValues> =>
  Option.flatMap(Option.liftThrowable(policyValues)(tenant), decodePolicyValues)

/** Of a list the parts that a policy can say, however many there are. */
const sayableParts = (values: PolicyValues) => ({
  ip_allowlist: values.ip_allowlist?.filter((one) => canSay({ ip_allowlist: [one] })) ?? null,
  payouts_off_on: values.payouts_off_on.filter((one) => canSay({ payouts_off_on: [one] })),
  payout_minimums: Object.fromEntries(
    Object.entries(values.payout_minimums).filter(([code, least]) => canSay({ payout_minimums: { [code]: least } }))
  )
})

/** A policy with what is agreed in the place of each setting that is of another form, as a list that is none: somebody has written it into the row. */
const readable = ({ kind, policy }: AgreedWith, agreed: TenantPolicy): TenantPolicy => {
  const parts = Object.keys(agreed) as ReadonlyArray<keyof TenantPolicy> // the keys of that very object
  const isOfAnotherForm = (name: keyof TenantPolicy) =>
    Result.isFailure(
      Result.try(() => sayableParts(policyValues({ kind, policy: { ...agreed, [name]: policy[name] } })))
    )
  return { ...policy, ...Object.fromEntries(parts.filter(isOfAnotherForm).map((name) => [name, agreed[name]])) }
}

/**
 * What a tenant's row says, and in the place of each value that no policy can say what is agreed. Lists stay as long as they are: a longer list of who may
 * call, or where nothing is paid, is no reason to let everybody.
 */
export const sayableValues = (tenant: AgreedWith, agreed: PolicyValues): PolicyValues => {
  const values = policyValues({ kind: tenant.kind, policy: readable(tenant, policyOf(agreed)) })
  return {
    ...values,
    ...Object.fromEntries(unsayable(values).map((name) => [name, agreed[name]])),
    ...sayableParts(values)
  }
}
