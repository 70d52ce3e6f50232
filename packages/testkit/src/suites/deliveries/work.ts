import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import type { EventKind } from "@bursar/core/event/Event"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { type Attempted, type AttemptsReport, Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
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

/** An attempt that delivered, unless it says otherwise. */
export const made = (
  { endpoint }: EndpointWork,
  [eventId, attempt, at]: readonly [eventId: number, attempt: number, at: number],
  retryAt: number | null = null
): Attempted => ({
  record: {
    endpointId: endpoint.id,
    eventId,
    attempt,
    at,
    status: 200,
    problem: null,
    durationMs: 12,
    responseStart: "ok"
  },
  retryAt
})

/** A report of attempts. */
export const reportOf = (
  work: EndpointWork,
  attempts: ReadonlyArray<Attempted>,
  more: Partial<AttemptsReport> = {}
): AttemptsReport => ({
  tenantId: work.tenant.id,
  endpointId: work.endpoint.id,
  leaseToken: work.leaseToken,
  attempts,
  freshUpTo: null,
  failingSince: null,
  ...more
})

/** A report of one attempt that delivered, unless it says otherwise; a first one of a fresh event moves the endpoint past it. */
export const attemptOf = (
  work: EndpointWork,
  eventId: number,
  attempt: number,
  at: number,
  {
    failingSince = null,
    retryAt = null
  }: Partial<Pick<AttemptsReport, "failingSince"> & Pick<Attempted, "retryAt">> = {}
): AttemptsReport =>
  reportOf(work, [made(work, [eventId, attempt, at], retryAt)], {
    failingSince,
    freshUpTo: attempt === 1 && ids(work).includes(eventId) ? eventId : null
  })

/** The ids of the fresh events of a piece of work. */
export const ids = (work: EndpointWork | undefined) => work?.fresh.map(({ id }) => id) ?? []

/** The work must be there; a test cannot go on without it. */
export const present = (work: EndpointWork | undefined): Effect.Effect<EndpointWork> =>
  work === undefined ? Effect.die(new Error("there is nothing to send")) : Effect.succeed(work)
