import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Network } from "@bursar/core/money/Network"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { sweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Random } from "effect"

/** Of how many addresses of a tenant it is drawn by lot which are looked at. */
const drawnOfMax = 10_000

/**
 * At most so many of a tenant's addresses that are due at a moment. They are drawn by lot: whoever pays to many addresses all the time would keep the
 * others out for good by any order.
 */
export const someWaiting = Effect.fnUntraced(function* (
  tenantId: TenantId,
  network: Network,
  at: Timestamp,
  most: number
) {
  const due = yield* (yield* JobQueue).dueOf(tenantId, sweepQueue(network), at, drawnOfMax)
  return (yield* Random.shuffle(due.map(({ key }) => key))).slice(0, most)
})
