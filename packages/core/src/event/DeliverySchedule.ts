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

/** An endpoint that has done nothing but fail for this long, while something waited to be tried again, is switched off. */
export const failingTooLongMs = 5 * 24 * hour

/** What a delivery attempt came to. */
export interface AttemptOutcome {
  /** The answer's status, or null where none came. */
  readonly status: number | null
  /** The answer's `Retry-After` in milliseconds, if it had one. */
  readonly retryAfterMs: number | null
  /** Whether the service could not send it, through no fault of the endpoint; not, unless told. */
  readonly isOwnFault?: boolean
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
 * Since when an endpoint has done nothing but fail, after an attempt that was made at a moment. What the service could not
 * send says nothing of the endpoint.
 */
export const failingAfter = (
  failingSince: Timestamp | null,
  outcome: AttemptOutcome,
  at: Timestamp
): Timestamp | null => {
  if (isDelivered(outcome)) return null
  return outcome.isOwnFault === true ? failingSince : (failingSince ?? at)
}

/**
 * Decides what follows the `attempt`th attempt (from 1) of a delivery. Only 2xx delivers; 410 switches the endpoint off
 * at once, as does nothing but failure since `failingSince` for five days; what the service could not send switches nothing
 * off. `jitter` lies in 0..1 and spreads a delay by ±20 %; `Retry-After` is honoured up to twice the step.
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
  const failingTooLong = failingSince !== null && now - failingSince >= failingTooLongMs
  if (failingTooLong && outcome.isOwnFault !== true) {
    return { _tag: "Disable", reason: "nothing but failures for five days" }
  }
  const step = retryDelaysMs[attempt - 1]
  if (step === undefined) return { _tag: "GiveUp" }
  const spread = Math.round(step * (0.8 + 0.4 * jitter))
  const asked = outcome.retryAfterMs === null ? 0 : Math.min(outcome.retryAfterMs, 2 * step)
  return { _tag: "Retry", at: now + Math.max(spread, asked) }
}
