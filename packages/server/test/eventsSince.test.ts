import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@bursar/core/event/Event"
import type { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { eventsSince } from "../src/live/eventsSince.ts"

const tenant = (nth: number) => TenantId(`01a2089d-8169-70d9-b26f-${nth.toString().padStart(12, "0")}`)

/** Tenants' events, whose moments are told, and how often they were read. */
const feed = (momentOf: (tenantId: TenantId, id: number) => number) => {
  let reads = 0
  const events = (tenantId: TenantId, after: number, limit: number) => {
    reads += 1
    return Effect.succeed(
      Array.from({ length: limit }, (_, at): Event => ({
        id: after + at + 1,
        kind: "deposit.detected",
        resourceId: "one",
        occurredAt: momentOf(tenantId, after + at + 1),
        data: {}
      }))
    )
  }
  // nothing else of it is asked for
  return { queries: { events } as unknown as Queries["Service"], reads: () => reads }
}

describe("what a stream tells that goes on", () => {
  it.effect("says that it has left out some of one tenant, where those of another are old", () =>
    Effect.gen(function* () {
      const { queries } = feed((id) => (id === tenant(1) ? 9 : 1))
      const moved = [1, 2].map((nth) => ({ tenantId: tenant(nth), eventId: 1_000 }))
      const told = yield* eventsSince(queries, moved, { from: 5, knownOf: () => 0 })
      assert.strictEqual(told.happened.length, 200)
      assert.isTrue(told.missed)
      const old = yield* eventsSince(queries, moved.slice(1), { from: 5, knownOf: () => 0 })
      assert.deepStrictEqual(old, { happened: [], missed: false })
    })
  )

  it.effect("reads no more than it can hold, however long ago somebody says that they were here", () =>
    Effect.gen(function* () {
      const { queries, reads } = feed(() => 9)
      const moved = Array.from({ length: 1_000 }, (_, nth) => ({ tenantId: tenant(nth), eventId: 1_000 }))
      const told = yield* eventsSince(queries, moved, { knownOf: () => 0 })
      assert.isAtMost(told.happened.length, 3_000)
      assert.isAtMost(reads(), 15)
      assert.isTrue(told.missed)
    })
  )
})
