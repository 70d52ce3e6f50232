import type { TenantLimits } from "@bursar/api/operator/TenantLimits"
import { newReceiverScope, payoutScope, payoutWindowMs } from "@bursar/core/limit/limitedUsage"
import { payoutLimitsOf } from "@bursar/core/limit/payoutLimits"
import { usedCents, Usage } from "@bursar/core/limit/Usage"
import type { Queries } from "@bursar/core/store/Queries"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { usdFigure, usdFigureOrNull } from "../../../wire/usd.ts"
import { withdrawalLimit } from "../../withdrawals/read.ts"

const hourMs = 3_600_000

const rolling = (limit: bigint | null, used: bigint): TenantLimits["payouts"] => ({
  limit_usd: usdFigureOrNull(limit),
  used_usd: usdFigure(used),
  remaining_usd: limit === null ? null : usdFigure(limit > used ? limit - used : 0n),
  window_hours: payoutWindowMs / hourMs
})

/** What a tenant may pay out and withdraw, and how much of that it has used by now. */
export const limitsOf = Effect.fnUntraced(function* (queries: Queries["Service"], tenant: Tenant) {
  const { daily, newAddressDaily, perPayout } = payoutLimitsOf(tenant.policy)
  const { limit, remaining, spent } = yield* withdrawalLimit(queries, tenant)
  const now = yield* Clock.currentTimeMillis
  const usedOf = (scope: string) =>
    Effect.map(orUnavailable(queries.record(tenant.id, Usage, scope)), (usage) => usedCents(usage, payoutWindowMs, now))
  const limits: TenantLimits = {
    payout_limit_usd: usdFigureOrNull(perPayout),
    payouts: rolling(daily, yield* usedOf(payoutScope)),
    payouts_to_new_receivers: rolling(newAddressDaily, yield* usedOf(newReceiverScope)),
    withdrawals: {
      limit_usd: usdFigure(limit),
      used_usd: usdFigure(spent),
      remaining_usd: usdFigure(remaining),
      window_hours: tenant.policy.withdrawalWindowHours
    }
  }
  return limits
})
