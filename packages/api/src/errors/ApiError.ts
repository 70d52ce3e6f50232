import { Catalogue, type CatalogueEntry, entryOf, type ErrorCode, type ErrorStatus } from "./Catalogue.ts"
import type { ErrorBody, FieldError, JsonObject } from "./ErrorBody.ts"
import { errorClasses } from "./WireErrors.ts"

/** Any error of the interface, as an instance of its status's class. */
export type ApiError = InstanceType<(typeof errorClasses)[ErrorStatus]>

/** The class of the error that a code makes. */
export type ApiErrorOf<Code extends ErrorCode> = InstanceType<(typeof errorClasses)[(typeof Catalogue)[Code]["status"]]>

/** What a refusal may add to the catalogue's entry. */
export interface ErrorOptions {
  /** A message more exact than the catalogue's. */
  readonly message?: string | undefined
  /** Facts that the caller needs to act, such as `required_scope` or `available`. */
  readonly detail?: JsonObject | undefined
  /** What is wrong with which field. */
  readonly fields?: ReadonlyArray<FieldError> | undefined
  /** When to try again, in seconds; it becomes `detail.retry_after_seconds` and `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
  /** Only where the body is not written by the contract's own encoder, which fills it in. */
  readonly requestId?: string | undefined
}

/**
 * The body of an error, for answers made outside the contract's handlers (unknown route, defect, address list).
 *
 * `requestId` must be given there, because nothing fills it in.
 */
export const errorBody = (code: ErrorCode, options: ErrorOptions = {}): ErrorBody => {
  const { message, retryable, status, retryAfterSeconds }: CatalogueEntry = entryOf(code)
  const seconds = options.retryAfterSeconds ?? retryAfterSeconds
  const detail =
    seconds === undefined && options.detail === undefined
      ? undefined
      : { ...options.detail, ...(seconds === undefined ? {} : { retry_after_seconds: seconds }) }
  return {
    error: {
      code,
      message: options.message ?? message,
      ...(detail === undefined ? {} : { detail }),
      ...(options.fields === undefined ? {} : { fields: options.fields }),
      request_id: options.requestId ?? "",
      retryable
    },
    ...(status === 429 && detail !== undefined ? { detail } : {})
  }
}

/**
 * The error of a code, ready to `return yield*`: the catalogue picks its class, status, default message and
 * `retryable`.
 *
 * The request's id is filled in when the answer is written. For `rate_limited`, give `retryAfterSeconds` and
 * `detail.limit_per_minute`; both also stand in the body's top-level `detail`.
 */
export const apiError = <Code extends ErrorCode>(code: Code, options: ErrorOptions = {}): ApiErrorOf<Code> => {
  const Class = errorClasses[Catalogue[code].status]
  // The class was looked up under the code's own status, which the compiler does not follow through the index.
  return new Class(errorBody(code, options)) as ApiErrorOf<Code>
}
