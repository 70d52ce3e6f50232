import type { HttpClientError } from "effect/http"
import { CallTimedOut } from "../call/withRetries.ts"
import { RequestNotSignable } from "../requestSigner.ts"
import type { BursarErrorCode, BursarErrorFacts } from "./BursarError.ts"

/** What lies at the bottom of a failure, without the request, whose headers hold the API key. */
const causeOf = (failure: HttpClientError.HttpClientError): unknown =>
  "cause" in failure.reason ? failure.reason.cause : undefined

/** The error of a call that got no answer. */
export const failureToError = (
  failure: HttpClientError.HttpClientError,
  idempotencyKey: string | undefined
): BursarErrorFacts<BursarErrorCode> => {
  const cause = causeOf(failure)
  const common = { status: null, idempotencyKey, cause }
  if (cause instanceof RequestNotSignable) {
    return { ...common, code: "invalid_request", message: cause.message, retryable: false }
  }
  if (cause instanceof CallTimedOut) {
    return { ...common, code: "timeout", message: cause.message, retryable: true }
  }
  const message = `The service was not reached: ${failure.message}.`
  return { ...common, code: "connection_failed", message, retryable: true }
}
