import { addEndpoint, disableEndpoint, enableEndpoint } from "@bursar/core/event/endpointCommands"
import type { EventKind } from "@bursar/core/event/Event"
import type { WebhookEndpoint } from "@bursar/core/event/WebhookEndpoint"
import { type AttemptReport, Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { Storage } from "@bursar/core/port/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { emitting, stampAt } from "../fixtures/commands.ts"
import { difficultText } from "../fixtures/records.ts"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const leaseMs = 30_000

/** More endpoints than a store of tests holds, so that those of the test are always among what is leased. */
const many = 100_000

const newEndpoint = Effect.fnUntraced(function* (tenantId: TenantId, kinds: ReadonlyArray<EventKind> | null = null) {
  const storage = yield* Storage
  const [exit] = yield* storage.commit(
    tenantId,
    [addEndpoint({ url: "https://example.com", kinds, secret: "sealed" })],
    stampAt(past)
  )
  // addEndpoint replies with the endpoint, and nothing refuses it
  return (exit?._tag === "Success" ? exit.value : undefined) as WebhookEndpoint
})

/** Leases whatever there is and gives the work of one endpoint; what belongs to others is given back untouched. */
const leaseOf = Effect.fnUntraced(function* (endpointId: string, now: number, eventsMax = 100) {
  const deliveries = yield* Deliveries
  const all = yield* deliveries.lease(now, now + leaseMs, many, eventsMax)
  for (const other of all) {
    if (other.endpoint.id !== endpointId) yield* deliveries.release(other, 0)
  }
  return all.find(({ endpoint }) => endpoint.id === endpointId)
})

const attemptOf = (
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

const ids = (work: EndpointWork | undefined) => work?.fresh.map(({ id }) => id) ?? []

/** The work must be there; a test cannot go on without it. */
const present = (work: EndpointWork | undefined): Effect.Effect<EndpointWork> =>
  work === undefined ? Effect.die(new Error("there is nothing to send")) : Effect.succeed(work)

/** What every Deliveries must do. Time is that of the caller. Leases everything, so nothing else may deliver from the store. */
export const deliveriesSuite = (
  name: string,
  layer: Layer.Layer<Deliveries | Storage | Tenants, unknown>,
  options: SuiteOptions = {}
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(layer, { excludeTestServices: true, timeout: timeoutMs })(`${name}: Deliveries`, (it) => {
    it.effect(
      "an endpoint gets the events since it was added, in order, in pages, each once",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const tenant = yield* newTenant({ createdAt: past, kind: "SANDBOX" })
          yield* commitAt(tenant.id, past, emitting(), emitting())
          const endpoint = yield* newEndpoint(tenant.id)
          assert.deepStrictEqual(ids(yield* leaseOf(endpoint.id, past)), [])
          yield* commitAt(tenant.id, past + 1, ...Array.from({ length: 5 }, () => emitting({ amount: "1.10" })))
          const first = yield* present(yield* leaseOf(endpoint.id, past + leaseMs, 3))
          assert.deepStrictEqual(first.tenant, { id: tenant.id, kind: "SANDBOX" })
          assert.deepStrictEqual(first.endpoint, endpoint)
          assert.deepStrictEqual([ids(first), first.freshUpTo, first.due, first.failingSince], [[3, 4, 5], 5, [], null])
          assert.deepStrictEqual(first.fresh[0]?.data, { amount: "1.10" })
          for (const id of ids(first)) assert.isTrue(yield* deliveries.report(attemptOf(first, id, 1, past)))
          yield* deliveries.release(first, first.freshUpTo)
          const second = yield* present(yield* leaseOf(endpoint.id, past + leaseMs, 3))
          assert.deepStrictEqual(ids(second), [6, 7])
          yield* deliveries.release(second, second.freshUpTo)
          assert.deepStrictEqual(ids(yield* leaseOf(endpoint.id, past + leaseMs, 3)), [])
        }),
      timeoutMs
    )

    it.effect(
      "while one worker holds an endpoint no other gets it; when the lease runs out another does, and the first is told",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, emitting(), emitting())
          const first = yield* present(yield* leaseOf(endpoint.id, past))
          assert.isUndefined(yield* leaseOf(endpoint.id, past + leaseMs - 1))
          assert.isTrue(yield* deliveries.report(attemptOf(first, 1, 1, past)))
          const second = yield* present(yield* leaseOf(endpoint.id, past + leaseMs))
          assert.deepStrictEqual(ids(second), [2])
          assert.isFalse(yield* deliveries.report(attemptOf(first, 2, 1, past)))
          yield* deliveries.release(first, 2)
          assert.isUndefined(yield* leaseOf(endpoint.id, past + leaseMs))
          assert.isTrue(yield* deliveries.report(attemptOf(second, 2, 1, past)))
          assert.strictEqual((yield* deliveries.attempts(id, endpoint.id, 10)).length, 2)
        }),
      timeoutMs
    )

    it.effect(
      "of many workers that lease at once, one gets an endpoint",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, emitting())
          const leases = yield* Effect.forEach(
            Array.from({ length: 8 }),
            () => deliveries.lease(past, past + leaseMs, many, 10),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(leases.flat().filter((work) => work.endpoint.id === endpoint.id).length, 1)
          for (const work of leases.flat()) yield* deliveries.release(work, 0)
          assert.strictEqual((yield* deliveries.lease(past, past + leaseMs, 1, 10)).length, 1)
        }),
      timeoutMs
    )

    it.effect(
      "a failing event is set aside until its retry is due and holds up no later one",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, emitting(), emitting())
          const first = yield* present(yield* leaseOf(endpoint.id, past))
          yield* deliveries.report(attemptOf(first, 1, 1, past, { retryAt: past + 5_000, failingSince: past }))
          yield* deliveries.report(attemptOf(first, 2, 1, past, { retryAt: past + 4_000, failingSince: past }))
          yield* deliveries.release(first, first.freshUpTo)
          yield* commitAt(id, past, emitting())
          const second = yield* present(yield* leaseOf(endpoint.id, past + 1_000))
          assert.deepStrictEqual([ids(second), second.due, second.failingSince], [[3], [], past])
          yield* deliveries.report(attemptOf(second, 3, 1, past + 1_000))
          yield* deliveries.release(second, second.freshUpTo)
          const third = yield* present(yield* leaseOf(endpoint.id, past + 5_000))
          assert.deepStrictEqual(
            third.due.map(({ attempt, event }) => [event.id, attempt]),
            [
              [2, 2],
              [1, 2]
            ]
          )
          assert.deepStrictEqual([ids(third), third.failingSince], [[], null])
          yield* deliveries.report(attemptOf(third, 2, 2, past + 5_000))
          yield* deliveries.report(attemptOf(third, 1, 2, past + 5_000, { retryAt: past + 9_000 }))
          yield* deliveries.release(third, third.freshUpTo)
          assert.isUndefined(yield* leaseOf(endpoint.id, past + 8_999))
          const fourth = yield* present(yield* leaseOf(endpoint.id, past + 9_000))
          assert.deepStrictEqual(
            fourth.due.map(({ attempt, event }) => [event.id, attempt]),
            [[1, 3]]
          )
          yield* deliveries.report(attemptOf(fourth, 1, 3, past + 9_000))
          yield* deliveries.release(fourth, fourth.freshUpTo)
          assert.isUndefined(yield* leaseOf(endpoint.id, past + 999_999))
        }),
      timeoutMs
    )

    it.effect(
      "kinds that an endpoint does not want are passed over",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id, ["swap.settled"])
          yield* commitAt(
            id,
            past,
            emitting(),
            emitting({}, "swap.settled"),
            emitting(),
            emitting({}, "swap.settled"),
            emitting()
          )
          const work = yield* present(yield* leaseOf(endpoint.id, past, 1))
          assert.deepStrictEqual(ids(work), [2])
          yield* (yield* Deliveries).release(work, work.freshUpTo)
          assert.deepStrictEqual(ids(yield* leaseOf(endpoint.id, past, 10)), [4])
        }),
      timeoutMs
    )

    it.effect(
      "what was leased and not reported is sent again by whoever comes next",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, emitting(), emitting(), emitting())
          const first = yield* present(yield* leaseOf(endpoint.id, past))
          yield* (yield* Deliveries).report(attemptOf(first, 1, 1, past))
          yield* (yield* Deliveries).release(first, 1)
          assert.deepStrictEqual(ids(yield* leaseOf(endpoint.id, past)), [2, 3])
        }),
      timeoutMs
    )

    it.effect(
      "a disabled endpoint gets nothing; enabled again it goes on where it was, with a clean record",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, emitting())
          const first = yield* present(yield* leaseOf(endpoint.id, past))
          yield* deliveries.report(attemptOf(first, 1, 1, past, { failingSince: past - 1 }))
          yield* deliveries.release(first, 1)
          yield* commitAt(id, past, disableEndpoint(endpoint.id, "test"), emitting())
          assert.isUndefined(yield* leaseOf(endpoint.id, past + 1))
          yield* commitAt(id, past, enableEndpoint(endpoint.id))
          const second = yield* present(yield* leaseOf(endpoint.id, past + 2))
          assert.deepStrictEqual([ids(second), second.failingSince], [[2], null])
        }),
      timeoutMs
    )

    it.effect(
      "a replay queues the events of a range again, due now, for this endpoint alone",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const [{ id }, { id: other }] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
          yield* commitAt(id, past, ...Array.from({ length: 5 }, () => emitting()))
          const endpoint = yield* newEndpoint(id)
          assert.strictEqual(yield* deliveries.replay(other, endpoint.id, 1, 5, past), 0)
          assert.strictEqual(yield* deliveries.replay(id, endpoint.id, 2, 4, past), 3)
          assert.strictEqual(yield* deliveries.replay(id, endpoint.id, 6, 9, past), 0)
          const work = yield* present(yield* leaseOf(endpoint.id, past))
          assert.deepStrictEqual(
            work.due.map(({ attempt, event }) => [event.id, attempt]),
            [
              [2, 1],
              [3, 1],
              [4, 1]
            ]
          )
          for (const { event } of work.due) yield* deliveries.report(attemptOf(work, event.id, 1, past))
          yield* deliveries.release(work, work.freshUpTo)
          assert.isUndefined(yield* leaseOf(endpoint.id, past))
        }),
      timeoutMs
    )

    it.effect(
      "replaying an event that was not tried yet skips none before it",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, ...Array.from({ length: 3 }, () => emitting()))
          yield* deliveries.replay(id, endpoint.id, 3, 3, past)
          const work = yield* present(yield* leaseOf(endpoint.id, past))
          yield* deliveries.report(attemptOf(work, 3, 1, past))
          yield* deliveries.release(work, 0)
          assert.includeMembers([...ids(yield* leaseOf(endpoint.id, past))], [1, 2])
        }),
      timeoutMs
    )

    it.effect(
      "attempts are logged with everything, newest first",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const { id } = yield* newTenant({ createdAt: past })
          const endpoint = yield* newEndpoint(id)
          yield* commitAt(id, past, emitting(), emitting())
          const work = yield* present(yield* leaseOf(endpoint.id, past))
          const silent = {
            endpointId: endpoint.id,
            eventId: 1,
            attempt: 1,
            at: past + 1,
            status: null,
            problem: difficultText,
            durationMs: 15_000,
            responseStart: ""
          }
          const answered = {
            ...silent,
            eventId: 2,
            at: past + 2,
            status: 503,
            problem: null,
            responseStart: difficultText
          }
          yield* deliveries.report({ ...attemptOf(work, 1, 1, past), record: silent })
          yield* deliveries.report({ ...attemptOf(work, 2, 1, past), record: answered })
          assert.deepStrictEqual(yield* deliveries.attempts(id, endpoint.id, 10), [answered, silent])
          assert.deepStrictEqual(yield* deliveries.attempts(id, endpoint.id, 1), [answered])
          assert.deepStrictEqual(yield* deliveries.attempts((yield* newTenant()).id, endpoint.id, 10), [])
        }),
      timeoutMs
    )
  })
}
