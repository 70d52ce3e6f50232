import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import type { EventKind } from "@bursar/core/event/Event"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { type AttemptReport, Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { Storage } from "@bursar/core/engine/Storage"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { contextAt } from "../../fixtures/commands.ts"
import { past } from "../../fixtures/tenants.ts"

/** For how long the tests lease. */
export const leaseMs = 30_000

/** More endpoints than a store of tests holds, so that those of the test are always among what is leased. */
export const many = 100_000

/** Adds an endpoint to a tenant. */
export const newEndpoint = Effect.fnUntraced(function* (
  tenantId: TenantId,
  kinds: ReadonlyArray<EventKind> | null = null
) {
  const storage = yield* Storage
  const [exit] = yield* storage.commit(
    tenantId,
    [addEndpoint({ url: "https://example.com", kinds, secret: "sealed" })],
    contextAt(past)
  )
  // addEndpoint replies with the endpoint, and nothing refuses it
  return (exit?._tag === "Success" ? exit.value : undefined) as WebhookEndpoint
})

/** Leases whatever there is and gives the work of one endpoint; what belongs to others is given back untouched. */
export const leaseOf = Effect.fnUntraced(function* (endpointId: string, now: number, eventsMax = 100) {
  const deliveries = yield* Deliveries
  const all = yield* deliveries.lease(now, now + leaseMs, many, eventsMax)
  for (const other of all) {
    if (other.endpoint.id !== endpointId) yield* deliveries.release(other, 0)
  }
  return all.find(({ endpoint }) => endpoint.id === endpointId)
})

/** A report of an attempt that delivered, unless it says otherwise. */
export const attemptOf = (
  work: EndpointWork,
  eventId: number,
  attempt: number,
  at: number,
  more: Partial<AttemptReport> = {}
): AttemptReport => ({
  tenantId: work.tenant.id,
  endpointId: work.endpoint.id,
  leaseToken: work.leaseToken,
  record: {
    endpointId: work.endpoint.id,
    eventId,
    attempt,
    at,
    status: 200,
    problem: null,
    durationMs: 12,
    responseStart: "ok"
  },
  retryAt: null,
  failingSince: null,
  ...more
})

/** The ids of the fresh events of a piece of work. */
export const ids = (work: EndpointWork | undefined) => work?.fresh.map(({ id }) => id) ?? []

/** The work must be there; a test cannot go on without it. */
export const present = (work: EndpointWork | undefined): Effect.Effect<EndpointWork> =>
  work === undefined ? Effect.die(new Error("there is nothing to send")) : Effect.succeed(work)
