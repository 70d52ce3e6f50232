import { Schema } from "effect"

/** The ways in which a node can let its caller down. */
export const FaultKind = Schema.Literals([
  "drop",
  "delay",
  "lost_reply",
  "empty",
  "lag",
  "refuse",
  "duplicate",
  "garbage"
])

/** {@link FaultKind} as a type. */
export type FaultKind = typeof FaultKind.Type

/** How `delay` waits, in milliseconds, where it does not say. */
export const delayMsDefault = 1_000

/** How many blocks a node that lags is behind where it does not say. */
export const lagBlocksDefault = 3

/**
 * A fault to come, alike on every local network; `errorCode` is what the node's refusals are numbered or named with.
 *
 * **Details**
 *
 * - `drop`: breaks the connection; the node never sees the request.
 * - `delay`: waits `delay_ms` (1000), then answers truly.
 * - `lost_reply`: the node takes the request, the answer is dropped.
 * - `empty`: answers nothing in the form that suits the question; the node never sees the request.
 * - `lag`: answers as a node that is `lag_blocks` (3) behind.
 * - `refuse`: answers the error `error_code`, `error_message`; the node never sees the request.
 * - `duplicate`: takes a transaction twice and gives the second answer. Applies to what hands in transactions alone.
 * - `garbage`: the node takes the request, the answer is spoilt as `garbage` says (`truncated`).
 */
export const faultSchema = <Code extends Schema.Codec<string | number, string | number>>(errorCode: Code) =>
  Schema.Struct({
    kind: FaultKind,
    /** How many requests it hits; a fault of the connection counts a batch as one. */
    times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
    /** Only requests of this name, or of one in this list; absent means all. */
    method: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)])),
    delay_ms: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))),
    lag_blocks: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
    garbage: Schema.optionalKey(Schema.Literals(["truncated", "invalid_json", "wrong_types"])),
    error_code: Schema.optionalKey(errorCode),
    error_message: Schema.optionalKey(Schema.String)
  })
