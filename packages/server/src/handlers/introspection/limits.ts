import { Limits } from "@bursar/api/Limits"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { readsPerMinute, underCeiling, writesPerMinute } from "../../middleware/limited.ts"

/** For how long a quote holds, in seconds. */
const quoteLifetimeSeconds = 60

/** The window of the withdrawal limit, in hours (spec, "Withdrawals"). */
const withdrawalWindowHours = 24

/**
 * GET /v1/limits: the rates applied to the key. No withdrawals are served, so that is what may be withdrawn: a limit of
 * nothing, known and not estimated, of which nothing is spent.
 */
export const limits = HttpApiBuilder.handler(PartnerApi, "introspection", "limits", () =>
  Effect.map(CurrentRequest, ({ tenant }) => {
    const ceiling = tenant?.policy.ceilingPerMinute ?? null
    return {
      requests: {
        reads_per_minute: underCeiling(readsPerMinute, ceiling),
        writes_per_minute: underCeiling(writesPerMinute, ceiling),
        tenant_ceiling_per_minute: ceiling,
        window_seconds: Limits.rateWindowSeconds,
        idempotency_key_max_length: Limits.idempotencyKeyLengthMax,
        quote_lifetime_seconds: quoteLifetimeSeconds
      },
      money: {
        withdrawal_limit_usd: "0",
        withdrawal_spent_usd: "0",
        withdrawal_remaining_usd: "0",
        withdrawal_window_hours: withdrawalWindowHours
      }
    }
  })
)
