import type { Event } from "@bursar/core/event/Event"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { MovedTenant } from "@bursar/core/store/Heads"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"

/** How many outcomes of one tenant are told at once. */
const eventsMax = 200

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

/** The events of tenants after those that are known of each, oldest first: the newest of them where there are many. */
export const eventsSince = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  moved: ReadonlyArray<MovedTenant>,
  knownOf: (tenantId: TenantId) => number
): Effect.fn.Return<Told, StorageError> {
  const behind = moved.filter(({ eventId, tenantId }) => eventId > knownOf(tenantId))
  const found = yield* Effect.forEach(
    behind,
    ({ eventId, tenantId }) =>
      Effect.map(
        queries.events(tenantId, Math.max(knownOf(tenantId), eventId - eventsMax), eventsMax),
        (events): ReadonlyArray<TenantEvent> => events.map((event) => ({ tenantId, event }))
      ),
    { concurrency: 4 }
  )
  return {
    happened: found.flat().toSorted(byMoment),
    missed: behind.some(({ eventId, tenantId }) => eventId - knownOf(tenantId) > eventsMax)
  }
})
