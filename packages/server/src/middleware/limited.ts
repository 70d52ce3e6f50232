import { apiError } from "@bursar/api/errors/ApiError"
import { Limits } from "@bursar/api/Limits"
import { Caller } from "@bursar/api/middleware/Caller"
import { Limited } from "@bursar/api/middleware/Limited"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Clock, Effect, Layer } from "effect"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { checking } from "./checking.ts"

/** GET requests per minute and key (spec, "Limits"). */
export const readsPerMinute = 600

/** Other requests per minute and key (spec, "Limits"). */
export const writesPerMinute = 120

/** The rate that holds for a key: a tenant's ceiling can only lower it. */
export const underCeiling = (rate: number, ceiling: number | null): number =>
  ceiling === null ? rate : Math.min(rate, ceiling)

/**
 * Counts the request against its key's rate and its tenant's ceiling, in one question to the store. Every answer says what
 * is left.
 */
export const layer = Layer.effect(
  Limited,
  Effect.gen(function* () {
    const rates = yield* RateLimits
    return Limited.of((app, { endpoint }) => {
      const reads = endpoint.method === "GET"
      const name = reads ? "read" : "write"
      const rate = reads ? readsPerMinute : writesPerMinute
      return Effect.gen(function* () {
        const { keyId, tenantId } = yield* Caller
        const facts = yield* CurrentRequest
        const ceiling = facts.tenant?.policy.ceilingPerMinute ?? null
        const limit = underCeiling(rate, ceiling)
        const windows = [{ subject: `key:${keyId}:${name}`, limit }]
        if (ceiling !== null) windows.push({ subject: `tenant:${tenantId}`, limit: ceiling })
        const decision = yield* checking(rates.take(windows, yield* Clock.currentTimeMillis))
        facts.responseHeaders["ratelimit-policy"] = `"${name}";q=${limit};w=${Limits.rateWindowSeconds}`
        if (decision._tag === "Denied") {
          facts.responseHeaders["ratelimit"] = `"${name}";r=0;t=${decision.retryAfterSeconds}`
          return yield* apiError("rate_limited", {
            retryAfterSeconds: decision.retryAfterSeconds,
            detail: { limit_per_minute: decision.limit }
          })
        }
        facts.responseHeaders["ratelimit"] = `"${name}";r=${decision.remaining};t=${decision.resetSeconds}`
        return yield* app
      })
    })
  })
)
