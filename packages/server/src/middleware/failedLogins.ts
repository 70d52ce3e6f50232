import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { RateLimits } from "@bursar/core/port/RateLimits"
import { Clock, Effect } from "effect"
import { addressGroup } from "../http/clientAddress.ts"
import { checking } from "./checking.ts"

/** How many failed authentications per minute an address is told of before it is told to wait. */
export const failedAuthenticationsPerMinute = 60

/**
 * Answers a failed authentication, and counts it for its address: beyond so many a minute the address is told to wait. What is
 * right is never asked for this limit, so that nobody can lock others out who share the address with them. `subject` tells the
 * counts of one interface from those of another.
 */
export const failLogin = Effect.fnUntraced(function* (
  rates: RateLimits["Service"],
  subject: string,
  address: string,
  error: ApiError
) {
  const windows = [{ subject: `${subject}:${addressGroup(address)}`, limit: failedAuthenticationsPerMinute }]
  const decision = yield* checking(rates.take(windows, yield* Clock.currentTimeMillis))
  if (decision._tag === "Allowed") return yield* error
  const { limit, retryAfterSeconds } = decision
  return yield* apiError("rate_limited", { retryAfterSeconds, detail: { limit_per_minute: limit } })
})
