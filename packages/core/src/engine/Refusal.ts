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
  "fenced"
] as const

/** A stable refusal code. */
export type RefusalCode = (typeof refusalCodes)[number]

/**
 * A command was understood and refused by a rule; nothing was written for it. `fenced` says that the sender lost its
 * leadership to another process and must stop; it never reaches a partner.
 */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  code: Schema.Literals(refusalCodes),
  message: Schema.String,
  detail: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}) {}
