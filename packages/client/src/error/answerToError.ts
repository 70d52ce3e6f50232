import { Clock, Effect } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { answerError, isPassing } from "../call/answerError.ts"
import { retryAfterMs } from "../call/retryAfter.ts"
import type { BursarErrorCode, BursarErrorFacts } from "./BursarError.ts"

/** The error that an answer is; for answers that are not what was asked for. */
export const answerToError = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  idempotencyKey: string | undefined
): Effect.fn.Return<BursarErrorFacts<BursarErrorCode>, HttpClientError.HttpClientError> {
  const { headers, status } = response
  const error = answerError(yield* response.text)
  const common = {
    status,
    idempotencyKey,
    retryable: isPassing(status, error),
    requestId: error?.request_id || headers["x-request-id"],
    retryAfterMs: retryAfterMs(headers["retry-after"], yield* Clock.currentTimeMillis)
  }
  if (error === undefined) {
    const message = `The answer, of status ${status}, is not one of this service.`
    return { ...common, code: "answer_unreadable", message }
  }
  const { code, detail, fields, message } = error
  // A later service may know codes that this version does not; whoever asks by code passes over them.
  return { ...common, code: code as BursarErrorCode, message, detail, fields }
})
