import type { Event } from "@bursar/core/event/Event"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { type AttemptsReport, Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { type EndpointProgress, recordsOf, type State, Store, type TenantRecords } from "./Store.ts"

const wants = (endpoint: WebhookEndpoint, event: Event): boolean =>
  endpoint.kinds === null || endpoint.kinds.includes(event.kind)

/** What an endpoint is to be sent; undefined where there is nothing. Unwanted events in front are passed over. */
const workOf = (
  tenant: TenantRecords,
  endpoint: WebhookEndpoint,
  progress: EndpointProgress,
  now: number,
  eventsMax: number
): Omit<EndpointWork, "leaseToken"> | undefined => {
  const wanted = tenant.events.slice(progress.upTo).filter((event) => wants(endpoint, event))
  const fresh = wanted.slice(0, eventsMax)
  const due = [...progress.due]
    .filter(([, { at }]) => at <= now)
    .toSorted(([leftId, left], [rightId, right]) => left.at - right.at || leftId - rightId)
    .slice(0, eventsMax)
    .flatMap(([eventId, { attempt }]) => {
      const event = tenant.events[eventId - 1]
      return event === undefined ? [] : [{ event, attempt }]
    })
  const freshUpTo = wanted.length > fresh.length ? (fresh.at(-1)?.id ?? progress.upTo) : tenant.head.eventId
  if (fresh.length === 0) progress.upTo = freshUpTo
  if (fresh.length === 0 && due.length === 0) return undefined
  const { id, kind } = tenant.head.tenant
  const failing = [...progress.due.values()].some(({ attempt }) => attempt > 1)
  return { tenant: { id, kind }, endpoint, fresh, freshUpTo, due, failingSince: failing ? progress.failingSince : null }
}

const lease = (
  state: State,
  now: number,
  leaseUntil: number,
  endpointsMax: number,
  eventsMax: number
): ReadonlyArray<EndpointWork> => {
  const leased: Array<EndpointWork> = []
  const longestWaiting = [...state.tenants.values()]
    .flatMap((tenant) => [...tenant.deliveries].map(([id, progress]) => ({ tenant, id, progress })))
    .toSorted((one, other) => one.progress.turn - other.progress.turn)
  for (const { id, progress, tenant } of longestWaiting) {
    if (leased.length === endpointsMax) return leased
    const endpoint = recordsOf(tenant, WebhookEndpoint).get(id)
    const free = progress.lease === null || progress.lease.until <= now
    if (endpoint === undefined || !endpoint.enabled || !free) continue
    const work = workOf(tenant, endpoint, progress, now, eventsMax)
    if (work === undefined) continue
    const token = crypto.randomUUID()
    progress.lease = { token, until: leaseUntil }
    progress.turn = ++state.deliveryTurns
    leased.push({ ...work, leaseToken: token })
  }
  return leased
}

const progressOf = (state: State, tenantId: TenantId, endpointId: string): EndpointProgress | undefined =>
  state.tenants.get(tenantId)?.deliveries.get(endpointId)

const report = (
  state: State,
  { attempts, endpointId, failingSince, freshUpTo, leaseToken, tenantId }: AttemptsReport
): boolean => {
  const progress = progressOf(state, tenantId, endpointId)
  if (progress === undefined || progress.lease?.token !== leaseToken) return false
  // of an event that was tried twice the last attempt says what follows
  const last = new Map(attempts.map((one) => [one.record.eventId, one]))
  progress.attempts.push(...attempts.map(({ record }) => record))
  for (const { record, retryAt } of last.values()) {
    const queued = progress.due.get(record.eventId)
    // what was queued again since the attempt began is not of that attempt, and stays
    if (queued !== undefined && (queued.attempt !== record.attempt || queued.at > record.at)) continue
    if (retryAt === null) progress.due.delete(record.eventId)
    else progress.due.set(record.eventId, { attempt: record.attempt + 1, at: retryAt })
  }
  progress.upTo = Math.max(progress.upTo, freshUpTo ?? 0)
  progress.failingSince = failingSince
  return true
}

const release = (state: State, work: EndpointWork, freshUpTo: number): void => {
  const progress = progressOf(state, work.tenant.id, work.endpoint.id)
  if (progress === undefined || progress.lease?.token !== work.leaseToken) return
  progress.upTo = Math.max(progress.upTo, freshUpTo)
  progress.lease = null
}

const replay = (
  state: State,
  tenantId: TenantId,
  endpointId: string,
  from: number,
  to: number,
  now: number
): number => {
  const tenant = state.tenants.get(tenantId)
  const progress = tenant?.deliveries.get(endpointId)
  const endpoint = tenant && recordsOf(tenant, WebhookEndpoint).get(endpointId)
  if (tenant === undefined || progress === undefined || endpoint === undefined) return 0
  const again = tenant.events.filter((event) => event.id >= from && event.id <= to && wants(endpoint, event))
  for (const { id } of again) progress.due.set(id, { attempt: 1, at: now })
  return again.length
}

const resend = (state: State, tenantId: TenantId, endpointId: string, eventId: number, now: number): boolean => {
  const progress = progressOf(state, tenantId, endpointId)
  if (progress === undefined || state.tenants.get(tenantId)?.events[eventId - 1] === undefined) return false
  progress.due.set(eventId, { attempt: 1, at: now })
  return true
}

const forget = (state: State, before: number, attemptsMax: number): number => {
  let left = attemptsMax
  for (const tenant of state.tenants.values())
    for (const progress of tenant.deliveries.values())
      for (const old of progress.attempts.filter(({ at }) => at < before).slice(0, left)) {
        progress.attempts.splice(progress.attempts.indexOf(old), 1)
        left -= 1
      }
  return attemptsMax - left
}

/** The state of webhook delivery, in memory. */
export const layer = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const state = yield* Store
    return Deliveries.of({
      lease: (now, leaseUntil, endpointsMax, eventsMax) =>
        Effect.sync(() => lease(state, now, leaseUntil, endpointsMax, eventsMax)),
      report: (made) => Effect.sync(() => report(state, made)),
      release: (work, freshUpTo) => Effect.sync(() => release(state, work, freshUpTo)),
      replay: (tenantId, endpointId, from, to, now) =>
        Effect.sync(() => replay(state, tenantId, endpointId, from, to, now)),
      resend: (tenantId, endpointId, eventId, now) =>
        Effect.sync(() => resend(state, tenantId, endpointId, eventId, now)),
      forget: (before, attemptsMax) => Effect.sync(() => forget(state, before, attemptsMax)),
      attempts: (tenantId, endpointId, limit) =>
        Effect.sync(() => (progressOf(state, tenantId, endpointId)?.attempts ?? []).slice(-limit).toReversed()),
      waiting: (tenantId, endpointId, most) =>
        Effect.sync(() => Math.min(most, progressOf(state, tenantId, endpointId)?.due.size ?? 0)),
      attemptsOf: (tenantId, eventIds, limit) =>
        Effect.sync(() =>
          [...(state.tenants.get(tenantId)?.deliveries.values() ?? [])]
            .flatMap(({ attempts }) => attempts.filter(({ eventId }) => eventIds.includes(eventId)).toReversed())
            .toSorted((one, other) => other.at - one.at)
            .slice(0, limit)
        )
    })
  })
)
