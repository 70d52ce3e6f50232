import type { ErrorCode } from "@bursar/api/errors/Catalogue"
import type { FieldError, JsonObject } from "@bursar/api/errors/ErrorBody"

/**
 * The codes of what goes wrong on this side of the wire.
 *
 * - `connection_failed`: the service was not reached, or the connection broke; a change may have been made.
 * - `timeout`: no answer in time; a change may have been made.
 * - `aborted`: the caller's signal ended the call; a change may have been made.
 * - `answer_unreadable`: the answer is not one of this service; its status says more.
 * - `signing_key_unreadable`: the two halves of the signing key are not of one pair.
 */
export type ClientErrorCode =
  | "connection_failed"
  | "timeout"
  | "aborted"
  | "answer_unreadable"
  | "signing_key_unreadable"

/** Every code known to this version. A service of a later one may answer others. */
export type BursarErrorCode = ErrorCode | ClientErrorCode

/** What an error is made of. */
export interface BursarErrorFacts<Code extends string> {
  readonly code: Code
  readonly message: string
  readonly status: number | null
  readonly detail?: JsonObject | undefined
  readonly fields?: ReadonlyArray<FieldError> | undefined
  readonly requestId?: string | null | undefined
  readonly retryable: boolean
  readonly retryAfterMs?: number | undefined
  readonly idempotencyKey?: string | undefined
  readonly attemptLost?: boolean | undefined
  readonly cause?: unknown
}

/** The one error that calls of a client reject with. Decide by `code`: codes are stable, messages are not. */
export class BursarError<Code extends string = BursarErrorCode> extends Error {
  override readonly name: string = "BursarError"
  readonly code: Code
  /** The status of the answer; null where there was none. */
  readonly status: number | null
  /** Facts to act upon, such as `available` or `required_scope`; empty where there are none. */
  readonly detail: JsonObject
  /** What is wrong with which field; empty where it is not about fields. */
  readonly fields: ReadonlyArray<FieldError>
  /** The `X-Request-Id` of the answer, by which the operators find the request; null where there was no answer. */
  readonly requestId: string | null
  /** Whether the very same call, with the same idempotency key, may succeed later. */
  readonly retryable: boolean
  /** How long the service asks to wait, in milliseconds; null where it does not say. */
  readonly retryAfterMs: number | null
  /** The idempotency key that the call was made under: give it to the call again, or look it up. Null where it had none. */
  readonly idempotencyKey: string | null
  /**
   * Whether an earlier attempt of this call may have made the change: it got no readable answer, and what the last one was
   * answered does not tell of it.
   */
  readonly attemptLost: boolean

  constructor(facts: BursarErrorFacts<Code>) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.detail = facts.detail ?? {}
    this.fields = facts.fields ?? []
    this.requestId = facts.requestId ?? null
    this.retryable = facts.retryable
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.idempotencyKey = facts.idempotencyKey ?? null
    this.attemptLost = facts.attemptLost ?? false
  }
}

/** Whether something thrown is an error of this client; with codes, whether it has one of them. */
export function isBursarError(error: unknown): error is BursarError
export function isBursarError<const Code extends BursarErrorCode>(
  error: unknown,
  ...codes: ReadonlyArray<Code>
): error is BursarError<Code>
export function isBursarError(error: unknown, ...codes: ReadonlyArray<string>): boolean {
  return error instanceof BursarError && (codes.length === 0 || codes.includes(error.code))
}

/** The codes with which a change may have been made although no answer says so: ask again under the same key. */
const uncertain: ReadonlySet<string> = new Set(["connection_failed", "timeout", "aborted", "answer_unreadable"])

/**
 * Whether it is unknown if the call has changed anything: no readable answer, or one of a server in trouble, or an earlier
 * attempt that got such a one before the last was refused, as for a key that was rotated in between. Repeat the call with `error.idempotencyKey`, which never makes the change twice, or ask `introspection.operationByKey`.
 */
export const isOutcomeUnknown = (error: unknown): error is BursarError =>
  error instanceof BursarError &&
  (error.attemptLost ||
    uncertain.has(error.code) ||
    error.code === "idempotency_in_flight" ||
    (error.status ?? 0) >= 500)
