import type { Event } from "@bursar/core/event/Event"
import { Writer } from "@bursar/core/engine/Writer"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { interruptedAt, pausedAt } from "@bursar/testkit/fixtures/interruptedAt"
import { bareEndpoint } from "@bursar/testkit/fixtures/records"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { makeReports } from "../../src/deliver/reports.ts"

const tenantId = TenantId("019845e1-682f-7b02-a706-3b2422d13af0")

const endpoint = bareEndpoint(tenantId, "endpoint", 0)

const eventOf = (id: number): Event => ({
  id,
  kind: "deposit.detected",
  resourceId: "deposit",
  occurredAt: 0,
  data: {}
})

/** Two attempts at an endpoint that were both answered, and the events of which the storage was told. */
const answered = () => {
  const told: Array<number> = []
  const reports = makeReports({
    tenant: { id: tenantId, kind: "SANDBOX" },
    endpoint,
    leaseToken: "token",
    fresh: [eventOf(1), eventOf(2)],
    freshUpTo: 2,
    due: [],
    failingSince: null
  })
  const storage = Layer.mock(Deliveries, {
    report: ({ attempts }) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => {
          told.push(...attempts.map(({ record }) => record.eventId))
          return true
        })
      )
  })
  const add = (place: number) => {
    const event = eventOf(place + 1)
    const record = {
      endpointId: endpoint.id,
      eventId: event.id,
      attempt: 1,
      at: 0,
      status: 200,
      problem: null,
      durationMs: 1,
      responseStart: ""
    }
    const outcome = { status: 200, retryAfterMs: null }
    const made = { due: { event, attempt: 1, fresh: true }, attempt: { record, outcome, endedAt: 1 } }
    return Effect.provide(reports.add(place, made), Layer.merge(storage, Layer.mock(Writer, {})))
  }
  return { add, reports, told }
}

/** More steps than a report takes. */
const steps = Array.from({ length: 48 }, (_, index) => index + 1)

describe("the reports of a lease", () => {
  it.live("tell the storage of each attempt once, at whichever step another ends", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        const { add, reports, told } = answered()
        const first = yield* pausedAt(step, add(0))
        yield* add(1)
        yield* Fiber.join(first)
        assert.deepStrictEqual([told, reports.stored()], [[1, 2], 2], `step ${step}`)
      }
    })
  )

  it.live("leave nobody waiting, at whichever step who reports is interrupted", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        const { add, told } = answered()
        yield* interruptedAt(step, add(0))
        yield* add(1)
        assert.deepStrictEqual(new Set(told), new Set([1, 2]), `step ${step}`)
      }
    })
  )
})
