import { Schema } from "effect"

/** The reasons for which a rule can refuse a command. Stable: partners match on them. */
export const refusalCodes = [
  "unknown_network",
  "unsupported_asset",
  "address_invalid",
  "address_unavailable",
  "amount_invalid",
  "amount_too_precise",
  "below_minimum",
  "insufficient_balance",
  "not_found",
  "state_conflict",
  "grant_required",
  "not_granted",
  "external_id_taken",
  "idempotency_key_reused",
  "signature_replayed",
  "invalid_request",
  "xpub_already_live",
  "xpub_invalid",
  "xpub_not_depth_3",
  "no_live_xpub",
  "xpub_range_exhausted",
  "wrapped_key_unreadable",
  "sweep_hold_by_operator",
  "sweep_newer_arrival",
  "address_is_ours",
  "memo_required",
  "memo_invalid",
  "payout_limit_exceeded",
  "daily_limit_exceeded",
  "new_address_limit_exceeded",
  "withdrawal_limit_exceeded",
  "destination_not_verified",
  "payouts_disabled",
  "price_unavailable",
  "pair_unavailable",
  "quote_expired",
  "quote_mismatch",
  "quote_already_used",
  "tenant_mismatch",
  "customer_not_verified",
  "capability_missing",
  "account_not_active",
  "beneficiary_invalid",
  "product_not_enabled",
  "provider_unavailable",
  "fenced",
  "plan_invalid",
  "stale"
] as const

/** A stable refusal code. */
export type RefusalCode = (typeof refusalCodes)[number]

/**
 * The refusals that say nothing about the request, and why an idempotency key does not keep them: the `sender` came too
 * late, the `configuration` does not offer it, or what it needs is not to be had now (`availability`). The same request may
 * be sent again under the same key. Every other refusal is an outcome of the request, and is kept.
 */
const unkept: { readonly [C in RefusalCode]?: "sender" | "configuration" | "availability" } = {
  fenced: "sender",
  plan_invalid: "sender",
  stale: "sender",
  product_not_enabled: "configuration",
  not_granted: "configuration",
  payouts_disabled: "configuration",
  provider_unavailable: "availability",
  price_unavailable: "availability",
  pair_unavailable: "availability"
}

/** Whether an idempotency key keeps a refusal for ever, as the outcome of its request. */
export const isOutcome = (code: RefusalCode): boolean => unkept[code] === undefined

/**
 * A command was understood and refused by a rule; nothing was written for it. `fenced` says that the sender lost its
 * leadership to another process and must stop; `stale` that the command was prepared from what is no longer so and is to
 * be prepared anew; `plan_invalid` that an adapter proposed what cannot be right. None is an answer, and none reaches a partner.
 */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  code: Schema.Literals(refusalCodes),
  message: Schema.String,
  detail: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}) {}
