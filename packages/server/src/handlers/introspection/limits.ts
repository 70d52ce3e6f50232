import { Limits } from "@bursar/api/Limits"
import { apiError } from "@bursar/api/errors/ApiError"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { quoteLifetimeMs } from "../../config/ServerConfig.ts"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { readsPerMinute, underCeiling, writesPerMinute } from "../../middleware/limited.ts"
import { usdFigure } from "../../wire/usd.ts"
import { withdrawalLimit } from "../withdrawals/read.ts"

/** GET /v1/limits: the rates applied to the key, and what may be withdrawn. */
export const limits = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "introspection", "limits", () =>
    Effect.gen(function* () {
      const { tenant } = yield* CurrentRequest
      if (tenant === null) return yield* apiError("not_found")
      const { ceilingPerMinute: ceiling, withdrawalWindowHours } = tenant.policy
      const { limit, remaining, spent } = yield* withdrawalLimit(queries, tenant)
      return {
        requests: {
          reads_per_minute: underCeiling(readsPerMinute, ceiling),
          writes_per_minute: underCeiling(writesPerMinute, ceiling),
          tenant_ceiling_per_minute: ceiling,
          window_seconds: Limits.rateWindowSeconds,
          idempotency_key_max_length: Limits.idempotencyKeyLengthMax,
          quote_lifetime_seconds: quoteLifetimeMs / 1000
        },
        money: {
          withdrawal_limit_usd: usdFigure(limit),
          withdrawal_spent_usd: usdFigure(spent),
          withdrawal_remaining_usd: usdFigure(remaining),
          withdrawal_window_hours: withdrawalWindowHours
        }
      }
    })
  )
)
