import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantPolicy } from "../tenant/Tenant.ts"
import { centsOf } from "../tenant/usd.ts"
import { withdrawalWindowMs } from "./limitedUsage.ts"
import { type Usage, usedCents } from "./Usage.ts"

/** What may be withdrawn within the window, was withdrawn, and may still be, in US cents. */
export interface WithdrawalLimit {
  readonly limit: bigint
  readonly spent: bigint
  readonly remaining: bigint
}

/** How a tenant's rolling limit on withdrawals stands at a moment; `usage` is that of `withdrawalScope`. */
export const withdrawalLimitAt = (policy: TenantPolicy, usage: Usage | undefined, now: Timestamp): WithdrawalLimit => {
  const limit = centsOf(policy.withdrawalLimitUsd)
  const spent = usedCents(usage, withdrawalWindowMs(policy), now)
  return { limit, spent, remaining: limit > spent ? limit - spent : 0n }
}
