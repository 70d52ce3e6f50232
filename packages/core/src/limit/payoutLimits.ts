import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { newReceiverScope, payoutScope, payoutWindowMs } from "./limitedUsage.ts"
import { reviewFromOf } from "./reviewFrom.ts"
import { usedCents, Usage } from "./Usage.ts"
import type { TenantPolicy } from "../tenant/Tenant.ts"
import { centsOf, usdText } from "../tenant/usd.ts"

/** A tenant's limits on what is paid out, on chains and through banks, in US cents; null where there is none. */
export interface PayoutLimits {
  readonly perPayout: bigint | null
  readonly daily: bigint | null
  readonly newAddressDaily: bigint | null
  readonly reviewFrom: bigint | null
}

const cents = (usd: string | null): bigint | null => (usd === null ? null : centsOf(usd))

/** The limits of a policy. */
export const payoutLimitsOf = (policy: TenantPolicy): PayoutLimits => ({
  perPayout: cents(policy.payoutLimitUsd),
  daily: cents(policy.payoutDailyLimitUsd),
  newAddressDaily: cents(policy.payoutNewAddressLimitUsd),
  reviewFrom: reviewFromOf(policy, "CHAIN_PAYOUT")
})

/** Whether any limit, the threshold of reviews among them, needs a price. */
export const needsPrice = ({ daily, newAddressDaily, perPayout, reviewFrom }: PayoutLimits): boolean =>
  [daily, newAddressDaily, perPayout, reviewFrom].some((limit) => limit !== null)

const exceeded = (
  code: "payout_limit_exceeded" | "daily_limit_exceeded" | "new_address_limit_exceeded",
  what: string,
  limit: bigint,
  used: bigint
): Result.Result<never, Refusal> =>
  Result.fail(
    new Refusal({
      code,
      message: `${what} is ${usdText(limit)} USD.`,
      detail: { limit_usd: usdText(limit), used_usd: usdText(used) }
    })
  )

/** Checks a payout of so many cents against the limits. The command reads `usageReads` of its kind. */
export const checkLimits = (
  view: View,
  limits: PayoutLimits,
  centsWanted: bigint,
  isNew: boolean
): Result.Result<void, Refusal> => {
  const { daily, newAddressDaily, perPayout } = limits
  if (perPayout !== null && centsWanted > perPayout)
    return exceeded("payout_limit_exceeded", "The limit per payout", perPayout, 0n)
  const used = usedCents(view.get(Usage, payoutScope), payoutWindowMs, view.now)
  if (daily !== null && used + centsWanted > daily)
    return exceeded("daily_limit_exceeded", "The limit over 24 hours", daily, used)
  if (!isNew || newAddressDaily === null) return Result.void
  const usedByNew = usedCents(view.get(Usage, newReceiverScope), payoutWindowMs, view.now)
  if (usedByNew + centsWanted > newAddressDaily)
    return exceeded(
      "new_address_limit_exceeded",
      "The limit over 24 hours to new receivers",
      newAddressDaily,
      usedByNew
    )
  return Result.void
}
