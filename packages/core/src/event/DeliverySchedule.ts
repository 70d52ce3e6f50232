import type { Timestamp } from "../base/Timestamp.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** How long after the previous attempt each further attempt of a delivery is made. */
export const retryDelaysMs: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
]

/** An endpoint that has done nothing but fail for this long is switched off. */
export const failingTooLongMs = 5 * 24 * hour

/** What a delivery attempt came to. */
export interface AttemptOutcome {
  /** The answer's status, or null where none came. */
  readonly status: number | null
  /** The answer's `Retry-After` in milliseconds, if it had one. */
  readonly retryAfterMs: number | null
}

/** What is to be done after an attempt. */
export type AfterAttempt =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Retry"; readonly at: Timestamp }
  | { readonly _tag: "GiveUp" }
  | { readonly _tag: "Disable"; readonly reason: string }

/** Whether the endpoint has taken the event: only 2xx says so. */
export const isDelivered = ({ status }: Pick<AttemptOutcome, "status">): boolean =>
  status !== null && status >= 200 && status < 300

/**
 * Decides what follows the `attempt`th attempt (from 1) of a delivery. Only 2xx delivers; 410 switches the endpoint off
 * at once, as does nothing but failure since `failingSince` for five days. `jitter` lies in 0..1 and spreads a delay by
 * ±20 %; `Retry-After` is honoured up to twice the step.
 */
export const afterAttempt = (
  attempt: number,
  outcome: AttemptOutcome,
  failingSince: Timestamp | null,
  now: Timestamp,
  jitter: number
): AfterAttempt => {
  if (isDelivered(outcome)) return { _tag: "Delivered" }
  if (outcome.status === 410) return { _tag: "Disable", reason: "the endpoint answered 410 Gone" }
  if (failingSince !== null && now - failingSince >= failingTooLongMs) {
    return { _tag: "Disable", reason: "nothing but failures for five days" }
  }
  const step = retryDelaysMs[attempt - 1]
  if (step === undefined) return { _tag: "GiveUp" }
  const spread = Math.round(step * (0.8 + 0.4 * jitter))
  const asked = outcome.retryAfterMs === null ? 0 : Math.min(outcome.retryAfterMs, 2 * step)
  return { _tag: "Retry", at: now + Math.max(spread, asked) }
}
