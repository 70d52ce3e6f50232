import { Deliveries } from "@bursar/core/port/Deliveries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { emitting } from "../../fixtures/commands.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { type Second, secondOf } from "../harness.ts"
import type { DeliveriesIt } from "./ports.ts"
import { attemptOf, ids, leaseMs, leaseOf, many, newEndpoint, present } from "./work.ts"

/** Who gets which events of which endpoint. */
export const leaseTests = (it: DeliveriesIt, timeoutMs: number, second: Second<Deliveries>): void => {
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
    "of many workers that lease at once in two processes, one gets an endpoint",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        const endpoint = yield* newEndpoint(id)
        yield* commitAt(id, past, emitting())
        const other = yield* secondOf(Deliveries, second)
        const leases = yield* Effect.forEach(
          Array.from({ length: 8 }),
          (_, n) => (n % 2 === 0 ? deliveries : other).lease(past, past + leaseMs, many, 10),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(leases.flat().filter((work) => work.endpoint.id === endpoint.id).length, 1)
        for (const one of [deliveries, other])
          assert.isFalse(
            (yield* one.lease(past, past + leaseMs, many, 10)).some(({ endpoint: { id } }) => id === endpoint.id)
          )
        // whoever knows the lease gives it back
        for (const work of leases.flat()) yield* other.release(work, 0)
        assert.strictEqual((yield* deliveries.lease(past, past + leaseMs, 1, 10)).length, 1)
      }),
    timeoutMs
  )

  it.effect(
    "where more endpoints are busy than workers are free, each is served once before any is served again",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        for (const { id } of [one, other]) {
          for (let count = 0; count < 10; count++) yield* newEndpoint(id)
          yield* commitAt(id, past, emitting(), emitting())
        }
        // those of other tests are busy, too
        const all = yield* deliveries.lease(past, past + leaseMs, many, 1)
        for (const work of all) yield* deliveries.release(work, 0)
        assert.isAtLeast(all.length, 20)
        const workers = Math.floor(all.length * 0.8)
        const served: Array<string> = []
        while (served.length < 4 * all.length) {
          // a worker's clock may jump back
          const now = past - served.length
          const works = yield* deliveries.lease(now, now + leaseMs, workers, 1)
          assert.strictEqual(works.length, workers)
          served.push(...works.map(({ endpoint }) => endpoint.id))
          // all remain busy
          for (const work of works) yield* deliveries.release(work, 0)
        }
        for (let round = 0; round < 4; round++) {
          const inRound = served.slice(round * all.length, (round + 1) * all.length)
          assert.strictEqual(new Set(inRound).size, all.length, `round ${round}`)
        }
      }),
    timeoutMs
  )

  it.effect(
    "endpoints that want nothing of what is new do not keep others from being served",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        for (let count = 0; count < 40; count++) yield* newEndpoint(id, ["swap.settled"])
        const busy = yield* newEndpoint(id)
        const served = new Set<string>()
        for (let round = 0; round < 60; round++) {
          yield* commitAt(id, past, emitting())
          const works = yield* deliveries.lease(past, past + leaseMs, 1, 1)
          for (const work of works) {
            served.add(work.endpoint.id)
            yield* deliveries.release(work, 0)
          }
        }
        assert.isTrue(served.has(busy.id))
      }),
    timeoutMs
  )

  it.effect(
    "an endpoint never goes back behind what was reported or given back: no event is sent again as a first attempt",
    () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const { id } = yield* newTenant({ createdAt: past })
        const endpoint = yield* newEndpoint(id)
        yield* commitAt(id, past, emitting(), emitting(), emitting())
        const work = yield* present(yield* leaseOf(endpoint.id, past))
        assert.deepStrictEqual(ids(work), [1, 2, 3])
        assert.isTrue(yield* deliveries.report(attemptOf(work, 2, 1, past)))
        // the first attempt at an earlier event is told of later
        assert.isTrue(yield* deliveries.report(attemptOf(work, 1, 1, past)))
        const next = yield* present(yield* leaseOf(endpoint.id, past + leaseMs))
        assert.deepStrictEqual(ids(next), [3])
        yield* deliveries.release(next, 1)
        assert.deepStrictEqual(ids(yield* leaseOf(endpoint.id, past + leaseMs)), [3])
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
}
