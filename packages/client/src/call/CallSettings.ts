import { Context } from "effect"

/** How often and how patiently a call is tried again. */
export interface RetrySettings {
  /** How many times at most, after the first; 4 unless told. 0 never tries again. */
  readonly retriesMax?: number | undefined
  /** The longest wait before the first retry, in milliseconds; 250 unless told. It doubles with each. */
  readonly firstDelayMs?: number | undefined
  /** What the wait never grows beyond, in milliseconds; 8,000 unless told. */
  readonly delayMsMax?: number | undefined
  /** The longest `Retry-After` that is waited for, in milliseconds; 60,000 unless told. A longer one is an error at once. */
  readonly retryAfterMsMax?: number | undefined
}

/** What bounds every call of a client. */
export interface PatienceOptions {
  readonly retry?: RetrySettings | undefined
  /** How long one attempt may take, its answer read to the end, in milliseconds; 30,000 unless told. */
  readonly timeoutMs?: number | undefined
}

/** What bounds every call of a client, settled. */
export interface Patience extends Required<{ readonly [K in keyof RetrySettings]: number }> {
  readonly timeoutMs: number
}

/** The patience of a client that was told nothing. */
export const defaultPatience: Patience = {
  retriesMax: 4,
  firstDelayMs: 250,
  delayMsMax: 8_000,
  retryAfterMsMax: 60_000,
  timeoutMs: 30_000
}

/** The patience that the options ask for. */
export const patienceOf = ({ retry = {}, timeoutMs = defaultPatience.timeoutMs }: PatienceOptions): Patience => ({
  retriesMax: retry.retriesMax ?? defaultPatience.retriesMax,
  firstDelayMs: retry.firstDelayMs ?? defaultPatience.firstDelayMs,
  delayMsMax: retry.delayMsMax ?? defaultPatience.delayMsMax,
  retryAfterMsMax: retry.retryAfterMsMax ?? defaultPatience.retryAfterMsMax,
  timeoutMs
})

/** What one call wants otherwise than its client. */
export interface CallOverrides {
  /** How long one attempt may take, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** The `X-Request-Id` to send: at most 128 visible ASCII characters. */
  readonly requestId?: string | undefined
}

/** What the calls made under it want otherwise than their client. */
export const CallOverrides = Context.Reference<CallOverrides>("@bursar/client/CallOverrides", {
  defaultValue: () => ({})
})
