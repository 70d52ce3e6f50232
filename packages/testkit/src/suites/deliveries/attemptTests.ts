import { disableEndpoint, enableEndpoint } from "@bursar/core/webhook/endpointCommands"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { emitting } from "../../fixtures/commands.ts"
import { difficultText } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { DeliveriesIt } from "./ports.ts"
import { attemptOf, ids, leaseOf, made, newEndpoint, present, reportOf } from "./work.ts"

/** What follows an attempt: retries, replays, the log. */
export const attemptTests = (it: DeliveriesIt, timeoutMs: number): void => {
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
    "an endpoint fails as long as something that failed waits to be tried again; what was given up or is only resent says nothing",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        const endpoint = yield* newEndpoint(id)
        yield* commitAt(id, past, emitting())
        const first = yield* present(yield* leaseOf(endpoint.id, past))
        yield* deliveries.report(attemptOf(first, 1, 1, past, { retryAt: past + 5_000, failingSince: past }))
        yield* deliveries.release(first, 1)
        const second = yield* present(yield* leaseOf(endpoint.id, past + 5_000))
        assert.strictEqual(second.failingSince, past)
        yield* deliveries.report(attemptOf(second, 1, 2, past + 5_000, { failingSince: past }))
        yield* deliveries.release(second, 1)
        yield* deliveries.resend(id, endpoint.id, 1, past + 6_000)
        const third = yield* present(yield* leaseOf(endpoint.id, past + 6_000))
        assert.deepStrictEqual([third.due.length, third.failingSince], [1, null])
        yield* deliveries.release(third, 1)
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
    "what is due again is the tenant's own event, whole, though another has one of that number",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const own = yield* newTenant({ createdAt: past })
        // those before and after it have longer feeds
        const tenants = [yield* newTenant({ createdAt: past - 1 }), own, yield* newTenant({ createdAt: past + 1 })]
        const endpoints = yield* Effect.forEach(tenants, ({ id }) => newEndpoint(id))
        for (const [index, { id }] of tenants.entries())
          for (let number = 1; number <= (id === own.id ? 3 : 5); number++)
            yield* commitAt(id, past + index, emitting({ of: index, number }))
        for (const [index, { id }] of tenants.entries()) {
          const endpoint = endpoints[index] ?? assert.fail("no endpoint")
          const first = yield* present(yield* leaseOf(endpoint.id, past))
          const [failed, resent, replayed] = first.fresh
          assert.deepStrictEqual(
            first.fresh.map(({ data }) => data),
            first.fresh.map((_, before) => ({ of: index, number: before + 1 }))
          )
          yield* deliveries.report(attemptOf(first, 1, 1, past, { retryAt: past + 1, failingSince: past }))
          yield* deliveries.release(first, first.freshUpTo)
          assert.isTrue(yield* deliveries.resend(id, endpoint.id, 2, past + 2))
          assert.strictEqual(yield* deliveries.replay(id, endpoint.id, 3, 3, past + 3), 1)
          const again = yield* present(yield* leaseOf(endpoint.id, past + 3))
          assert.deepStrictEqual(
            again.due.map(({ event }) => event),
            [failed, resent, replayed]
          )
          yield* deliveries.report(
            reportOf(
              again,
              [1, 2, 3].map((event) => made(again, [event, event === 1 ? 2 : 1, past + 3]))
            )
          )
          yield* deliveries.release(again, again.freshUpTo)
        }
      }),
    timeoutMs
  )

  it.effect(
    "a replay queues nothing of the kinds that the endpoint does not want; an event that is named is queued whatever its kind",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const [{ id }, { id: other }] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const endpoint = yield* newEndpoint(id, ["swap.settled"])
        yield* commitAt(id, past, emitting(), emitting({}, "swap.settled"), emitting(), emitting({}, "swap.settled"))
        const fresh = yield* present(yield* leaseOf(endpoint.id, past))
        yield* deliveries.release(fresh, fresh.freshUpTo)
        assert.strictEqual(yield* deliveries.replay(id, endpoint.id, 1, 3, past), 1)
        assert.isTrue(yield* deliveries.resend(id, endpoint.id, 3, past))
        assert.isFalse(yield* deliveries.resend(id, endpoint.id, 5, past))
        assert.isFalse(yield* deliveries.resend(other, endpoint.id, 3, past))
        const work = yield* present(yield* leaseOf(endpoint.id, past))
        assert.deepStrictEqual(
          work.due.map(({ event }) => event.id),
          [2, 3]
        )
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
        yield* deliveries.report(reportOf(work, [made(work, [3, 1, past])]))
        yield* deliveries.release(work, 0)
        assert.includeMembers([...ids(yield* leaseOf(endpoint.id, past))], [1, 2])
      }),
    timeoutMs
  )

  it.effect(
    "attempts that are reported together are stored together; of an event that was tried twice the last says what follows",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        const endpoint = yield* newEndpoint(id)
        yield* commitAt(id, past, ...Array.from({ length: 4 }, () => emitting()))
        yield* deliveries.replay(id, endpoint.id, 2, 3, past)
        const work = yield* present(yield* leaseOf(endpoint.id, past, 3))
        const batch = [
          made(work, [1, 1, past], past + 10),
          made(work, [2, 1, past], past + 10),
          made(work, [3, 1, past + 1]),
          made(work, [2, 1, past + 1]),
          made(work, [3, 1, past + 2], past + 20)
        ]
        const foreign = { ...reportOf(work, batch, { freshUpTo: 3 }), leaseToken: crypto.randomUUID() }
        assert.isFalse(yield* deliveries.report(foreign))
        assert.deepStrictEqual(yield* deliveries.attempts(id, endpoint.id, 10), [])
        assert.isTrue(yield* deliveries.report(reportOf(work, batch, { freshUpTo: 3, failingSince: past })))
        assert.deepStrictEqual(
          yield* deliveries.attempts(id, endpoint.id, 10),
          batch.map(({ record }) => record).toReversed()
        )
        yield* deliveries.release(work, 0)
        const next = yield* present(yield* leaseOf(endpoint.id, past + 20))
        assert.deepStrictEqual([ids(next), next.failingSince], [[4], past])
        assert.deepStrictEqual(
          next.due.map(({ attempt, event }) => [event.id, attempt]),
          [
            [1, 2],
            [3, 2]
          ]
        )
      }),
    timeoutMs
  )

  it.effect(
    "an event that is queued again while an attempt is on its way is sent again, whatever comes of the attempt",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        const endpoint = yield* newEndpoint(id)
        yield* commitAt(id, past, ...Array.from({ length: 4 }, () => emitting()))
        const first = yield* present(yield* leaseOf(endpoint.id, past))
        const failed = [2, 4].map((event) => made(first, [event, 1, past], past + 5))
        yield* deliveries.report(reportOf(first, failed, { freshUpTo: 0 }))
        yield* deliveries.release(first, 0)
        const work = yield* present(yield* leaseOf(endpoint.id, past + 5))
        // of 1 and 3 the first attempt is on its way, of 2 and 4 the second
        yield* deliveries.replay(id, endpoint.id, 1, 4, past + 7)
        const attempts = [
          made(work, [1, 1, past + 6]),
          made(work, [2, 2, past + 6]),
          made(work, [3, 1, past + 6], past + 99_000),
          made(work, [4, 2, past + 6], past + 99_000)
        ]
        yield* deliveries.report(reportOf(work, attempts, { freshUpTo: 4 }))
        yield* deliveries.release(work, 4)
        const again = yield* present(yield* leaseOf(endpoint.id, past + 7))
        assert.deepStrictEqual(
          again.due.map(({ attempt, event }) => [event.id, attempt]),
          [1, 2, 3, 4].map((event) => [event, 1])
        )
        // and once it is, that is all
        const delivered = [1, 2, 3, 4].map((event) => made(again, [event, 1, past + 7]))
        yield* deliveries.report(reportOf(again, delivered))
        assert.strictEqual(yield* deliveries.waiting(id, endpoint.id, 10), 0)
      }),
    timeoutMs
  )

  it.effect(
    "attempts of before a moment are forgotten, so many at a time; what is to be tried again is",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        const endpoint = yield* newEndpoint(id)
        yield* commitAt(id, past, ...Array.from({ length: 5 }, () => emitting()))
        const work = yield* present(yield* leaseOf(endpoint.id, past))
        // older than those of any other test
        const old = past - 10 * 31_536_000_000
        const batch = [1, 2, 3, 4, 5].map((event) => made(work, [event, 1, old + event], event === 1 ? past : null))
        yield* deliveries.report(reportOf(work, batch, { freshUpTo: 5 }))
        yield* deliveries.release(work, 5)
        assert.strictEqual(yield* deliveries.forget(old + 1, 10), 0)
        assert.strictEqual(yield* deliveries.forget(old + 4, 2), 2)
        assert.strictEqual(yield* deliveries.forget(old + 4, 2), 1)
        assert.deepStrictEqual(
          (yield* deliveries.attempts(id, endpoint.id, 10)).map(({ eventId }) => eventId),
          [5, 4]
        )
        const again = yield* present(yield* leaseOf(endpoint.id, past))
        assert.deepStrictEqual(
          again.due.map(({ attempt, event }) => [event.id, attempt]),
          [[1, 2]]
        )
        yield* deliveries.release(again, 5)
        assert.strictEqual(yield* deliveries.forget(past, 10), 2)
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
        const attempts = [silent, answered].map((record) => ({ record, retryAt: null }))
        yield* deliveries.report(reportOf(work, attempts, { freshUpTo: 2 }))
        assert.deepStrictEqual(yield* deliveries.attempts(id, endpoint.id, 10), [answered, silent])
        assert.deepStrictEqual(yield* deliveries.attempts(id, endpoint.id, 1), [answered])
        assert.strictEqual(yield* deliveries.waiting(id, endpoint.id, 10), 0)
        yield* deliveries.replay(id, endpoint.id, 1, 2, past + 3)
        assert.strictEqual(yield* deliveries.waiting(id, endpoint.id, 10), 2)
        assert.strictEqual(yield* deliveries.waiting(id, endpoint.id, 1), 1)
        const { id: other } = yield* newTenant()
        assert.deepStrictEqual(yield* deliveries.attempts(other, endpoint.id, 10), [])
        assert.strictEqual(yield* deliveries.waiting(other, endpoint.id, 10), 0)
        assert.deepStrictEqual(yield* deliveries.attemptsOf(id, [2, 1, 3], 10), [answered, silent])
        assert.deepStrictEqual(yield* deliveries.attemptsOf(id, [1, 2], 1), [answered])
        assert.deepStrictEqual(yield* deliveries.attemptsOf(id, [1], 10), [silent])
        assert.deepStrictEqual(yield* deliveries.attemptsOf(id, [], 10), [])
        assert.deepStrictEqual(yield* deliveries.attemptsOf(other, [1, 2], 10), [])
      }),
    timeoutMs
  )
}
