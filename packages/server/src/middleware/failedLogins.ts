import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { RateLimits } from "@bursar/core/port/RateLimits"
import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { addressGroup } from "../http/clientAddress.ts"
import { checkingFor } from "./checking.ts"

/** How many failed authentications per minute an address is told of before it is told to wait. */
export const failedAuthenticationsPerMinute = 60

/** A failed authentication. */
export interface FailedLogin {
  /** It tells the counts of one interface from those of another. */
  readonly subject: string
  readonly address: string
  /** What it is answered with. */
  readonly error: ApiError
  /** The method of its request. */
  readonly method: string
  readonly now: Timestamp
}

/**
 * Answers a failed authentication, and counts it for its address: beyond so many a minute the address is told to wait. What is
 * right is never asked for this limit, so that nobody can lock others out who share the address with them.
 */
export const failLogin = Effect.fnUntraced(function* (
  rates: RateLimits["Service"],
  { address, error, method, now, subject }: FailedLogin
) {
  const windows = [{ subject: `${subject}:${addressGroup(address)}`, limit: failedAuthenticationsPerMinute }]
  const decision = yield* checkingFor(rates.take(windows, now), method)
  if (decision._tag === "Allowed") return yield* error
  const { limit, retryAfterSeconds } = decision
  return yield* apiError("rate_limited", { retryAfterSeconds, detail: { limit_per_minute: limit } })
})

/** The same, for the request of an operator that is in progress. */
export const failOperatorLogin = Effect.fnUntraced(function* (rates: RateLimits["Service"], error: ApiError) {
  const { clientAddress: address } = yield* CurrentRequest
  const { method } = yield* HttpServerRequest.HttpServerRequest
  const now = yield* Clock.currentTimeMillis
  return yield* failLogin(rates, { subject: "operator-auth", address, error, method, now })
})
