import { apiError } from "@bursar/api/errors/ApiError"
import { Limits } from "@bursar/api/Limits"
import { RateLimits, type RateDecision, type RateWindow } from "@bursar/core/port/RateLimits"
import { Effect } from "effect"
import { type Arrived, callerOf, type MakeCheck } from "../http/Arrived.ts"
import { pass } from "../http/Step.ts"
import { perCaller } from "../http/perCaller.ts"
import { checkingFor } from "./checking.ts"

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
export const make: Effect.Effect<MakeCheck, never, RateLimits> = Effect.map(
  RateLimits,
  (rates): MakeCheck =>
    ({ method }) => {
      const name = method === "GET" ? "read" : "write"
      const rate = method === "GET" ? readsPerMinute : writesPerMinute

      const decided = ({ facts: { responseHeaders } }: Arrived, policy: string, decision: RateDecision) => {
        responseHeaders["ratelimit-policy"] = policy
        if (decision._tag === "Allowed") {
          responseHeaders["ratelimit"] = `"${name}";r=${decision.remaining};t=${decision.resetSeconds}`
          return pass
        }
        const { limit: limitPerMinute, retryAfterSeconds } = decision
        responseHeaders["ratelimit"] = `"${name}";r=0;t=${retryAfterSeconds}`
        return Effect.fail(
          apiError("rate_limited", { retryAfterSeconds, detail: { limit_per_minute: limitPerMinute } })
        )
      }

      const countedIn = perCaller((arrived) => {
        const { keyId, tenantId } = callerOf(arrived)
        const ceiling = arrived.facts.tenant?.policy.ceilingPerMinute ?? null
        const limit = underCeiling(rate, ceiling)
        const windows: Array<RateWindow> = [{ subject: `key:${keyId}:${name}`, limit }]
        if (ceiling !== null) windows.push({ subject: `tenant:${tenantId}`, limit: ceiling })
        return { windows, policy: `"${name}";q=${limit};w=${Limits.rateWindowSeconds}` }
      })

      return (arrived) => {
        const { policy, windows } = countedIn(arrived)
        const taken = rates.take(windows, arrived.clock.currentTimeMillisUnsafe())
        return Effect.flatMapEager(checkingFor(taken, arrived.request.method), (decision) =>
          decided(arrived, policy, decision)
        )
      }
    }
)
