import { Clock, Effect, Random, Result } from "effect"
import { HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import { answerError, isPassing, leavesOpen } from "./answerError.ts"
import { attemptLost } from "./AttemptLost.ts"
import type { Patience } from "./CallSettings.ts"
import { retryAfterMs } from "./retryAfter.ts"

type Response = HttpClientResponse.HttpClientResponse
type Failure = HttpClientError.HttpClientError

/** An attempt did not end in time. What it asked for may have been done. */
export class CallTimedOut extends Error {
  override readonly name = "CallTimedOut"
}

/** One attempt, its answer read to the end, within the time it has. */
const within = (
  timeoutMs: number,
  request: HttpClientRequest.HttpClientRequest,
  attempt: Effect.Effect<Response, Failure>
): Effect.Effect<Response, Failure> =>
  // The response keeps what it has read, so whoever reads it later does not touch the connection.
  Effect.tap(attempt, (response) => response.text).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => {
        const description = `no answer within ${timeoutMs} ms`
        const cause = new CallTimedOut(description)
        return Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause, description })
          })
        )
      }
    })
  )

/** A wait that doubles with each retry, anywhere from nothing to its whole length, so that clients do not come in step. */
const backoff = ({ delayMsMax, firstDelayMs }: Patience, retried: number): Effect.Effect<number> =>
  Effect.map(Random.next, (share) => share * Math.min(delayMsMax, firstDelayMs * 2 ** retried))

const brokenConnection = ({ reason }: Failure): boolean =>
  reason._tag === "TransportError" || reason._tag === "DecodeError"

/** How long to wait before the next attempt, in milliseconds; undefined where there should be none. */
const waitAfter = Effect.fnUntraced(function* (
  outcome: Result.Result<Response, Failure>,
  patience: Patience,
  retried: number
) {
  const delayMs = yield* backoff(patience, retried)
  if (Result.isFailure(outcome)) return brokenConnection(outcome.failure) ? delayMs : undefined
  const { headers, status, text } = outcome.success
  if (status < 400 || !isPassing(status, answerError(yield* text))) return undefined
  const askedMs = retryAfterMs(headers["retry-after"], yield* Clock.currentTimeMillis)
  if (askedMs === undefined) return delayMs
  return askedMs <= patience.retryAfterMsMax ? askedMs + delayMs : undefined
})

/** Whether an attempt may have done what it asked for although no answer says so. */
const isLost = (outcome: Result.Result<Response, Failure>): Effect.Effect<boolean, Failure> =>
  Result.isFailure(outcome)
    ? Effect.succeed(true)
    : Effect.map(outcome.success.text, (text) => leavesOpen(outcome.success.status, answerError(text)))

/** Whether an answer settles what earlier attempts have done: a success, or what the service keeps under the key. */
const settles = ({ headers, status }: Response): boolean =>
  (status >= 200 && status < 300) || headers["idempotency-replayed"] === "true"

/**
 * Makes attempts until one gives an answer that stands: network failures, attempts that took too long, and answers that
 * say they may be retried are tried again after a wait, for which `Retry-After` sets the least. Each attempt runs the
 * effect anew, so that what it signs is signed anew. A change of which an attempt may have been carried out does not end as
 * refused, unless the refusal is what the service keeps under its key.
 */
export const withRetries = (
  request: HttpClientRequest.HttpClientRequest,
  attempt: Effect.Effect<Response, Failure>,
  patience: Patience
): Effect.Effect<Response, Failure> =>
  Effect.gen(function* () {
    let retried = 0
    let lost = false
    while (true) {
      const outcome = yield* Effect.result(within(patience.timeoutMs, request, attempt))
      const waitMs = retried < patience.retriesMax ? yield* waitAfter(outcome, patience, retried) : undefined
      if (waitMs === undefined) {
        const answer = yield* Effect.fromResult(outcome)
        return lost && !settles(answer) ? yield* attemptLost(request, answer) : answer
      }
      lost ||= request.method !== "GET" && (yield* isLost(outcome))
      yield* Effect.sleep(waitMs)
      retried += 1
    }
  })
