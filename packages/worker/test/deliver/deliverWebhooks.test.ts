import { webhookHeaders as contractHeaders } from "@bursar/api/webhook/webhookHeaders"
import { verifyWebhook } from "@bursar/client/webhooks"
import { Writer } from "@bursar/core/engine/Writer"
import { retryDelaysMs } from "@bursar/core/event/DeliverySchedule"
import { enableEndpoint } from "@bursar/core/webhook/endpointCommands"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Queries } from "@bursar/core/store/Queries"
import { SecretBox, SecretUnreadable } from "@bursar/core/port/SecretBox"
import { StorageError } from "@bursar/core/engine/StorageError"
import { emptyState } from "@bursar/memory"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Random, Result } from "effect"
import { TestClock } from "effect/testing"
import { deliverWebhooks } from "../../src/deliver/deliverWebhooks.ts"
import { defaultDeliverLimits } from "../../src/deliver/DeliverOptions.ts"
import { webhookHeaders } from "../../src/deliver/webhookHeaders.ts"
import { begin, tick, ticks, until } from "../watch/world.ts"
import {
  attemptsOf,
  delivering,
  emit,
  endpointOf,
  feedOf,
  options,
  scripted,
  secret,
  silence,
  status
} from "./world.ts"

const ids = (sent: ReadonlyArray<{ readonly eventId: number }>) => sent.map(({ eventId }) => eventId)

const { inFlightMax } = defaultDeliverLimits

/** Looks for work once a minute: days pass quickly then. */
const seldom = { ...options, limits: { ...defaultDeliverLimits, pollIntervalMs: 60_000 } }

const endpoint = (tenantId: Parameters<typeof endpointOf>[0], id: string) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.endpoints(tenantId)),
    (all) => all.find((one) => one.id === id)
  )

describe("webhook delivery", () => {
  it.effect("posts the row of the feed, signed so that the client library verifies it", () => {
    const way = scripted(() => status(204))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* emit(id, 1)
      yield* until(
        "it was sent",
        Effect.sync(() => way.sent.length === 1)
      )
      const [{ request }] = way.sent as [(typeof way.sent)[0]]
      const [event] = yield* feedOf(id)
      assert.strictEqual(request.url, "https://hooks.example/in")
      assert.deepStrictEqual(request.reach, { http: false, local: false })
      assert.deepStrictEqual(JSON.parse(request.body ?? ""), {
        id: 1,
        type: "deposit.detected",
        resource: { type: "deposit", id: event?.resourceId },
        occurred_at: new Date(event?.occurredAt ?? 0).toISOString(),
        data: event?.data
      })
      const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
      const delivery = {
        rawBody: request.body ?? "",
        header: (name: string) => headers.get(name),
        secrets: [secret],
        now: way.sent[0]?.at ?? 0
      }
      const verified = yield* Effect.promise(() => verifyWebhook(delivery))
      assert.isTrue(Result.isSuccess(verified))
      const tampered = yield* Effect.promise(() => verifyWebhook({ ...delivery, rawBody: `${request.body} ` }))
      assert.isTrue(Result.isFailure(tampered))
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it("names its headers as the contract does", () => {
    for (const name of ["service", "Acme", "acme pay", "ACME_pay"])
      assert.deepStrictEqual(webhookHeaders(name), contractHeaders(name))
  })

  it.effect("sends in id order, what the endpoint wants and what came after it was added", () => {
    const way = scripted(() => status(200))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* emit(id, 3)
      yield* endpointOf(id, "https://hooks.example/in", ["deposit.confirmed"])
      yield* emit(id, 2)
      yield* emit(id, 4, "deposit.confirmed")
      yield* emit(id, 1)
      yield* emit(id, 1, "deposit.confirmed")
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "all were sent",
        Effect.sync(() => way.sent.length >= 5)
      )
      yield* ticks(5)
      assert.deepStrictEqual(ids(way.sent), [6, 7, 8, 9, 11])
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("sets a failing event aside: later ones are not held up, and it is tried on the schedule", () => {
    const way = scripted((eventId) => (eventId === 2 ? status(500) : status(200)))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      yield* emit(id, 5)
      yield* Effect.forkScoped(deliverWebhooks(seldom))
      yield* until(
        "the first attempts were made",
        Effect.sync(() => way.sent.length === 5)
      )
      assert.deepStrictEqual(ids(way.sent), [1, 2, 3, 4, 5])
      for (let hour = 0; hour < 24 * 5; hour++) {
        // other deliveries succeed, so the endpoint is not one that does nothing but fail
        if (hour % 24 === 0) yield* emit(id, 1)
        yield* TestClock.adjust("1 hour")
        yield* tick
      }
      const tries = way.sent.filter(({ eventId }) => eventId === 2).map(({ at }) => at)
      assert.strictEqual(tries.length, 10)
      retryDelaysMs.forEach((delay, index) => {
        const waited = (tries[index + 1] ?? 0) - (tries[index] ?? 0)
        assert.isAtLeast(waited, delay * 0.8)
        assert.isAtMost(waited, delay * 1.2 + 61_000)
      })
      const attempts = (yield* attemptsOf(id, endpointId)).filter(({ eventId }) => eventId === 2)
      assert.deepStrictEqual(
        attempts.map((made) => [made.attempt, made.status]),
        tries.map((_, index) => [index + 1, 500])
      )
      assert.isTrue((yield* endpoint(id, endpointId))?.enabled)
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("honours Retry-After within twice the step", () => {
    const way = scripted((eventId, _, times) =>
      times > 1 ? status(200) : status(503, { "retry-after": eventId === 1 ? "9" : "3600" })
    )
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* emit(id, 2)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "both were delivered",
        Effect.sync(() => way.sent.length === 4)
      )
      const waited = (eventId: number) => {
        const [first, second] = way.sent.filter((one) => one.eventId === eventId).map(({ at }) => at)
        return (second ?? 0) - (first ?? 0)
      }
      assert.isTrue(waited(1) >= 9_000 && waited(1) <= 11_000, String(waited(1)))
      assert.isTrue(waited(2) >= 10_000 && waited(2) <= 12_000, String(waited(2)))
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("switches an endpoint off at 410 Gone and sends what is left once it is switched on again", () => {
    let gone = true
    const way = scripted(() => Effect.suspend(() => (gone ? status(410) : status(200))))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      yield* emit(id, 3)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "it is switched off",
        Effect.map(endpoint(id, endpointId), (found) => found?.enabled === false)
      )
      yield* ticks(30)
      assert.deepStrictEqual(ids(way.sent), [1])
      assert.include((yield* endpoint(id, endpointId))?.disabledReason ?? "", "410")
      gone = false
      const writer = yield* Writer
      yield* writer.submit(id, enableEndpoint(endpointId))
      yield* until(
        "all were delivered",
        Effect.sync(() => way.sent.length === 4)
      )
      assert.deepStrictEqual(ids(way.sent).slice(1).toSorted(), [1, 2, 3])
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("switches off an endpoint that has done nothing but fail for five days", () => {
    const way = scripted(() => silence)
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      yield* Effect.forkScoped(deliverWebhooks(seldom))
      for (let hour = 0; hour < 24 * 5 - 2; hour++) {
        yield* emit(id, 1)
        yield* TestClock.adjust("1 hour")
        yield* tick
        assert.isTrue((yield* endpoint(id, endpointId))?.enabled, `hour ${hour}`)
      }
      yield* emit(id, 1)
      yield* TestClock.adjust("3 hours")
      yield* emit(id, 1)
      yield* until(
        "it is switched off",
        Effect.map(endpoint(id, endpointId), (found) => found?.enabled === false)
      )
      assert.include((yield* attemptsOf(id, endpointId))[0]?.problem ?? "", "no answer")
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect(
    "does not count days on which nothing was to be sent: one failure after a quiet week is tried again",
    () => {
      const way = scripted((eventId, _, times) => (eventId === 2 && times > 1 ? status(200) : status(502)))
      return Effect.gen(function* () {
        yield* begin
        const { id } = yield* newTenant()
        const { id: endpointId } = yield* endpointOf(id)
        yield* emit(id, 1)
        yield* Effect.forkScoped(deliverWebhooks(seldom))
        for (let hour = 0; hour < 24 * 6; hour++) {
          yield* TestClock.adjust("1 hour")
          yield* tick
        }
        assert.lengthOf(way.sent, retryDelaysMs.length + 1)
        yield* emit(id, 1)
        yield* until(
          "it was taken the second time",
          Effect.map(attemptsOf(id, endpointId), (attempts) => attempts.at(-1)?.status === 200)
        )
        assert.isTrue((yield* endpoint(id, endpointId))?.enabled)
      }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
    }
  )

  it.effect("switches no endpoint off for a secret that the service cannot open", () => {
    const way = scripted(() => status(200))
    const closed = Layer.succeed(
      SecretBox,
      SecretBox.of({
        seal: () => Effect.succeed("sealed"),
        open: () => Effect.fail(new SecretUnreadable({ owner: "tenant" }))
      })
    )
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      yield* Effect.forkScoped(deliverWebhooks(seldom))
      for (let hour = 0; hour < 24 * 6; hour++) {
        if (hour % 6 === 0) yield* emit(id, 1)
        yield* TestClock.adjust("1 hour")
        yield* tick
      }
      assert.isAbove((yield* attemptsOf(id, endpointId)).length, 100)
      assert.isTrue((yield* endpoint(id, endpointId))?.enabled)
    }).pipe(Effect.provide(way.layer), Effect.provide(Layer.merge(delivering(), closed)))
  })

  it.effect("has a few requests in flight per endpoint, begun in order, and lets no endpoint hold up another", () => {
    const flying = new Map<string, number>()
    let most = 0
    const way = scripted((_, url) =>
      Effect.gen(function* () {
        flying.set(url, (flying.get(url) ?? 0) + 1)
        most = Math.max(most, flying.get(url) ?? 0)
        yield* Effect.sleep(url.endsWith("slow") ? "14 seconds" : "10 millis")
        flying.set(url, (flying.get(url) ?? 0) - 1)
        return {}
      })
    )
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id, "https://hooks.example/slow")
      yield* endpointOf(id, "https://hooks.example/fast")
      yield* emit(id, 60)
      yield* Effect.forkScoped(deliverWebhooks(options))
      const to = (path: string) => way.sent.filter(({ url }) => url.endsWith(path))
      yield* until(
        "the fast one has everything",
        Effect.sync(() => to("fast").length === 60)
      )
      assert.isAtMost(to("slow").length, inFlightMax)
      for (let seconds = 0; seconds < 20 * 20; seconds += 5) {
        yield* TestClock.adjust("5 seconds")
        yield* tick
      }
      const inOrder = Array.from({ length: 60 }, (_, index) => index + 1)
      assert.deepStrictEqual(ids(to("slow")), inOrder)
      assert.deepStrictEqual(ids(to("fast")), inOrder)
      assert.strictEqual(most, inFlightMax)
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("sends the events of one resource one after another, and one at a time to whoever fails", () => {
    const flying: Array<number> = []
    let together = 0
    let failing = false
    const way = scripted((eventId) =>
      Effect.gen(function* () {
        flying.push(eventId)
        together = Math.max(together, flying.length)
        yield* Effect.sleep("10 seconds")
        flying.splice(flying.indexOf(eventId), 1)
        return { status: failing ? 500 : 200 }
      })
    )
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* emit(id, 3, "deposit.detected", id)
      const worker = yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "all three were sent",
        Effect.sync(() => way.sent.length === 3)
      )
      yield* ticks(11)
      assert.deepStrictEqual([ids(way.sent), together], [[1, 2, 3], 1])
      failing = true
      yield* emit(id, 1)
      yield* until(
        "it has failed",
        Effect.sync(() => way.sent.length === 4)
      )
      yield* ticks(11)
      together = 0
      yield* emit(id, 4)
      yield* until(
        "more was sent",
        Effect.sync(() => way.sent.length >= 7)
      )
      assert.strictEqual(together, 1)
      const stopped = yield* Effect.forkScoped(Fiber.interrupt(worker))
      yield* ticks(11)
      yield* Fiber.join(stopped)
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("tells nobody of an address that is not the tenant's, and goes on with the others", () => {
    const way = scripted(() => status(204))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      const writer = yield* Writer
      const { address, network } = yield* newAddress(id)
      // somebody has written another address into the second event
      for (const told of [address, `0x${"66".repeat(20)}`, address])
        yield* writer.submit(id, emitting({ network, address: told }, "deposit.detected"))
      yield* Effect.forkScoped(deliverWebhooks(seldom))
      yield* until(
        "the others were sent",
        Effect.sync(() => way.sent.length === 2)
      )
      assert.deepStrictEqual(ids(way.sent), [1, 3])
      yield* until(
        "all attempts are in the log",
        Effect.map(attemptsOf(id, endpointId), ({ length }) => length === 3)
      )
      const held = (yield* attemptsOf(id, endpointId)).find(({ eventId }) => eventId === 2)
      assert.strictEqual(held?.problem, "the address that it names cannot be verified")
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("moves past an event only with everything before it, whichever is answered first", () => {
    const way = scripted((eventId) => (eventId === 2 ? Effect.never : status(200)))
    const state = emptyState()
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      yield* emit(id, 5)
      yield* Effect.forkDetach(deliverWebhooks(options))
      yield* until(
        "all were sent",
        Effect.sync(() => way.sent.length === 5)
      )
      assert.deepStrictEqual(
        (yield* attemptsOf(id, endpointId)).map(({ eventId }) => eventId),
        [1]
      )
      // that worker never comes back: what it has not stored is sent again
      const deliveries = yield* Deliveries
      const later = (yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)) + defaultDeliverLimits.leaseMs
      const [work] = yield* deliveries.lease(later, later + 1, 10, 10)
      assert.deepStrictEqual(
        work?.fresh.map((event) => event.id),
        [2, 3, 4, 5]
      )
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering(state)))
  })

  it.effect("does not let a backlog hold up retries", () => {
    const way = scripted((eventId, _, times) =>
      Effect.andThen(Effect.sleep("10 seconds"), eventId === 1 && times === 1 ? status(500) : status(200))
    )
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* emit(id, 200)
      const worker = yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "the first event was tried again",
        Effect.sync(() => way.sent.filter(({ eventId }) => eventId === 1).length === 2)
      )
      assert.isBelow(way.sent.length, 100)
      // the requests in flight take their time to finish
      const stopped = yield* Effect.forkScoped(Fiber.interrupt(worker))
      yield* ticks(11)
      yield* Fiber.join(stopped)
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("lets fresh events of an endpoint that hangs starve no retry, and retries no fresh event", () => {
    // every event hangs for the whole time, but for the second attempt of the first
    const way = scripted((eventId, _, times) =>
      eventId === 1
        ? status(times === 1 ? 500 : 200)
        : Effect.andThen(Effect.sleep(defaultDeliverLimits.totalTimeoutMs), silence)
    )
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* emit(id, 60)
      const worker = yield* Effect.forkScoped(deliverWebhooks(options))
      for (let seconds = 0; seconds < 600; seconds += 5) {
        yield* TestClock.adjust("5 seconds")
        yield* tick
        if (seconds % 15 === 0) yield* emit(id, 1)
      }
      const stopped = yield* Effect.forkScoped(Fiber.interrupt(worker))
      yield* ticks(20)
      yield* Fiber.join(stopped)
      assert.lengthOf(
        way.sent.filter(({ eventId }) => eventId === 1),
        2
      )
      // beyond those that were sent at once while the endpoint was not known to fail
      assert.isAbove(Math.max(...ids(way.sent)), inFlightMax)
    }).pipe(Random.withSeed("turns"), Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("is shared by several workers that do not send anything twice", () => {
    const way = scripted(() => Effect.as(Effect.sleep("300 millis"), {}))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      for (let number = 0; number < 6; number++) yield* endpointOf(id, `https://hooks.example/${number}`)
      yield* emit(id, 30)
      const limits = { ...defaultDeliverLimits, endpointsMax: 2, eventsPerLeaseMax: 4 }
      const workers = [1, 2, 3].map(() => Effect.forkScoped(deliverWebhooks({ ...options, limits })))
      yield* Effect.all(workers)
      yield* until(
        "all were sent",
        Effect.sync(() => way.sent.length >= 180)
      )
      yield* ticks(5)
      assert.strictEqual(way.sent.length, 180)
      assert.strictEqual(new Set(way.sent.map(({ eventId, url }) => `${url} ${eventId}`)).size, 180)
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering(emptyState())))
  })

  it.effect("goes on with an endpoint whose worker died with the lease", () => {
    const way = scripted(() => status(200))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* emit(id, 2)
      const deliveries = yield* Deliveries
      const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      yield* deliveries.lease(now, now + 30_000, 10, 10)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* ticks(20)
      assert.strictEqual(way.sent.length, 0)
      yield* ticks(15)
      assert.deepStrictEqual(ids(way.sent), [1, 2])
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("sends a range again when it is replayed, with the same ids", () => {
    const way = scripted(() => status(200))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: endpointId } = yield* endpointOf(id)
      yield* emit(id, 5)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "all were sent",
        Effect.sync(() => way.sent.length === 5)
      )
      const deliveries = yield* Deliveries
      const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      assert.strictEqual(yield* deliveries.replay(id, endpointId, 2, 4, now), 3)
      yield* until(
        "they were sent again",
        Effect.sync(() => way.sent.length === 8)
      )
      yield* ticks(5)
      assert.deepStrictEqual(ids(way.sent).slice(5), [2, 3, 4])
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("finishes and reports the requests in flight when it is stopped, and begins no other", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      const way = scripted(() => Effect.as(Deferred.await(answer), {}))
      yield* Effect.gen(function* () {
        yield* begin
        const { id } = yield* newTenant()
        const { id: endpointId } = yield* endpointOf(id)
        yield* emit(id, 20)
        const worker = yield* Effect.forkScoped(deliverWebhooks(options))
        yield* until(
          "the first are in flight",
          Effect.sync(() => way.sent.length === inFlightMax)
        )
        const stopped = yield* Effect.forkScoped(Fiber.interrupt(worker))
        yield* ticks(3)
        assert.isUndefined(stopped.pollUnsafe())
        yield* Deferred.succeed(answer, undefined)
        yield* Fiber.join(stopped)
        assert.deepStrictEqual(
          (yield* attemptsOf(id, endpointId)).map((made) => [made.eventId, made.status]),
          Array.from({ length: inFlightMax }, (_, index) => [index + 1, 200])
        )
        yield* Effect.forkScoped(deliverWebhooks(options))
        yield* until(
          "the rest follows at once",
          Effect.sync(() => way.sent.length === 20)
        )
        assert.deepStrictEqual(
          ids(way.sent),
          Array.from({ length: 20 }, (_, index) => index + 1)
        )
      }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
    })
  )

  it.effect(
    "does not wait for the storage to send on what goes well, and begins no more than it may send again",
    () => {
      const [stuck, limits] = [Deferred.makeUnsafe<void>(), { ...defaultDeliverLimits, unreportedMax: inFlightMax + 4 }]
      const slow = Layer.effect(
        Deliveries,
        Effect.map(Deliveries, (deliveries) =>
          Deliveries.of({
            ...deliveries,
            report: (report) => Effect.andThen(Deferred.await(stuck), deliveries.report(report))
          })
        )
      )
      const way = scripted((_, url) => status(url.endsWith("/well") ? 200 : 500))
      const sentTo = (name: string) => way.sent.filter(({ url }) => url.endsWith(name)).length
      return Effect.gen(function* () {
        yield* begin
        const { id } = yield* newTenant()
        yield* endpointOf(id, "https://hooks.example/well")
        yield* endpointOf(id, "https://hooks.example/ill")
        yield* emit(id, 30)
        yield* Effect.forkScoped(deliverWebhooks({ ...options, limits }))
        yield* ticks(5)
        assert.deepStrictEqual([sentTo("/well"), sentTo("/ill")], [limits.unreportedMax, inFlightMax])
        yield* Deferred.succeed(stuck, undefined)
        yield* until(
          "all were sent",
          Effect.sync(() => sentTo("/well") === 30)
        )
      }).pipe(Effect.provide(way.layer), Effect.provide(slow.pipe(Layer.provideMerge(delivering()))))
    }
  )

  it.effect(
    "forgets attempts after their time, also more than one statement removes, and goes on when the storage fails",
    () => {
      let failures = 1
      const flaky = Layer.effect(
        Deliveries,
        Effect.map(Deliveries, (deliveries) =>
          Deliveries.of({
            ...deliveries,
            forget: (before, max) =>
              Effect.suspend(() =>
                failures-- > 0
                  ? Effect.fail(new StorageError({ doing: "forget", cause: "broken by the test" }))
                  : deliveries.forget(before, max)
              )
          })
        )
      )
      const way = scripted(() => status(200))
      const { attempts: kept } = defaultDeliverLimits
      const limits = {
        ...defaultDeliverLimits,
        attempts: { ...kept, forgottenMax: 2 },
        pollIntervalMs: kept.intervalMs
      }
      return Effect.gen(function* () {
        yield* begin
        const { id } = yield* newTenant()
        const hook = yield* endpointOf(id)
        yield* emit(id, 5)
        const attempts = Effect.flatMap(Deliveries, (deliveries) => deliveries.attempts(id, hook.id, 10))
        yield* Effect.forkScoped(deliverWebhooks({ ...options, limits }))
        yield* until(
          "all were logged",
          Effect.map(attempts, ({ length }) => length === 5)
        )
        yield* TestClock.adjust(kept.keptMs - kept.intervalMs)
        assert.lengthOf(yield* attempts, 5)
        yield* TestClock.adjust(2 * kept.intervalMs)
        assert.lengthOf(yield* attempts, 0)
      }).pipe(Effect.provide(way.layer), Effect.provide(flaky.pipe(Layer.provideMerge(delivering()))))
    }
  )

  it.effect("stores all that ended while a report was on its way with the next one", () => {
    let reports = 0
    const slow = Layer.effect(
      Deliveries,
      Effect.map(Deliveries, (deliveries) =>
        Deliveries.of({
          ...deliveries,
          report: (report) => {
            reports += 1
            return Effect.andThen(Effect.sleep("1 second"), deliveries.report(report))
          }
        })
      )
    )
    const way = scripted(() => status(200))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { id: hook } = yield* endpointOf(id)
      yield* emit(id, 200)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "all were stored",
        Effect.map(attemptsOf(id, hook), ({ length }) => length === 200)
      )
      // the first alone, and in two more what was sent meanwhile; a few more where the sender was in the middle
      assert.isAtMost(reports, 6)
    }).pipe(Effect.provide(way.layer), Effect.provide(slow.pipe(Layer.provideMerge(delivering()))))
  })

  it.effect("serves twenty busy endpoints although more that are slow, dead or new to failing want every place", () => {
    const way = scripted((_, url) =>
      url.includes("/dead")
        ? Effect.andThen(Effect.sleep("15 seconds"), silence)
        : Effect.andThen(Effect.sleep(url.includes("/slow") ? "4 seconds" : "10 millis"), status(200))
    )
    const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`)
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const names = [...named("dead", 6), ...named("slow", 2), ...named("busy", 20)]
      yield* Effect.forEach(names, (name) => endpointOf(id, `https://hooks.example/${name}`))
      yield* emit(id, 40)
      const limits = { ...defaultDeliverLimits, endpointsMax: 4, pollIntervalMs: 100 }
      const worker = yield* Effect.forkScoped(deliverWebhooks({ ...options, limits }))
      const to = (name: string) => way.sent.filter(({ url }) => url.endsWith(`/${name}`))
      // six dead ones and two slow ones take four places twice: two turns of at most 5 s, and the longest attempt of each
      const turnsMs = 2 * (limits.turnMs + limits.totalTimeoutMs)
      for (let ms = 0; ms < turnsMs + 10_000; ms += 250) {
        yield* TestClock.adjust("250 millis")
        yield* tick
      }
      const inOrder = Array.from({ length: 40 }, (_, index) => index + 1)
      for (const name of named("busy", 20)) assert.deepStrictEqual(ids(to(name)), inOrder, name)
      for (const name of [...named("dead", 6), ...named("slow", 2)]) assert.isAbove(to(name).length, 0, name)
      const stopped = yield* Effect.forkScoped(Fiber.interrupt(worker))
      yield* ticks(20)
      yield* Fiber.join(stopped)
    }).pipe(Effect.provide(way.layer), Effect.provide(delivering()))
  })

  it.effect("reports an answer again when the storage fails, rather than send the event again", () => {
    let failures = 3
    const flaky = Layer.effect(
      Deliveries,
      Effect.map(Deliveries, (deliveries) =>
        Deliveries.of({
          ...deliveries,
          report: (report) =>
            Effect.suspend(() =>
              failures-- > 0
                ? Effect.fail(new StorageError({ doing: "report", cause: "broken by the test" }))
                : deliveries.report(report)
            )
        })
      )
    )
    const way = scripted(() => status(200))
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      yield* emit(id, 2)
      yield* Effect.forkScoped(deliverWebhooks(options))
      yield* until(
        "both were sent",
        Effect.sync(() => way.sent.length === 2)
      )
      yield* ticks(90)
      assert.deepStrictEqual(ids(way.sent), [1, 2])
    }).pipe(Effect.provide(way.layer), Effect.provide(flaky.pipe(Layer.provideMerge(delivering()))))
  })
})
