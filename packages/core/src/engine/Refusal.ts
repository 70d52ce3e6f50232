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
  "stale"
] as const

/** Refusals of a sender and not of its wish: an idempotency key never remembers them. */
export const isForSender = (code: RefusalCode): boolean => code === "fenced" || code === "stale"

/** A stable refusal code. */
export type RefusalCode = (typeof refusalCodes)[number]

/**
 * A command was understood and refused by a rule; nothing was written for it. `fenced` says that the sender lost its
 * leadership to another process and must stop; `stale` that the command was prepared from what is no longer so and is to
 * be prepared anew. Neither is an answer, and neither reaches a partner.
 */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  code: Schema.Literals(refusalCodes),
  message: Schema.String,
  detail: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}) {}
