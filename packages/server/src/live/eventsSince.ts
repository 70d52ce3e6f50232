import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Event } from "@bursar/core/event/Event"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { MovedTenant } from "@bursar/core/store/Heads"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"

/** How many outcomes of one tenant are told at once, and after how many of all tenants no more are read. */
const [eventsMax, toldMax] = [200, 2_000]

/** An outcome, and whose it is. */
export interface TenantEvent {
  readonly tenantId: TenantId
  readonly event: Event
}

/** Outcomes, and whether there were more than are told. */
export interface Told {
  readonly happened: ReadonlyArray<TenantEvent>
  readonly missed: boolean
}

const byMoment = (one: TenantEvent, other: TenantEvent): number => one.event.occurredAt - other.event.occurredAt

/**
 * The events of tenants after those that are known of each and no older than a moment, oldest first: the newest of each where there are many, and
 * of the tenants that moved last.
 */
export const eventsSince = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  moved: ReadonlyArray<MovedTenant>,
  { from = 0, knownOf }: { readonly from?: Timestamp; readonly knownOf: (tenantId: TenantId) => number }
): Effect.fn.Return<Told, StorageError> {
  let [read, missed] = [0, false]
  const found = yield* Effect.forEach(
    moved.filter(({ eventId, tenantId }) => eventId > knownOf(tenantId)),
    Effect.fnUntraced(function* ({ eventId, tenantId }: MovedTenant) {
      const known = knownOf(tenantId)
      if (read >= toldMax) {
        missed = true
        return []
      }
      const events = yield* queries.events(tenantId, Math.max(known, eventId - eventsMax), eventsMax)
      const fresh = events.filter(({ occurredAt }) => occurredAt >= from)
      read += fresh.length
      if (eventId - known > eventsMax && fresh.length === events.length) missed = true
      return fresh.map((event): TenantEvent => ({ tenantId, event }))
    }),
    { concurrency: 4 }
  )
  return { happened: found.flat().toSorted(byMoment), missed }
})
