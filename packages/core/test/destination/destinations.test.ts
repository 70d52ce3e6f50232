import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { rejectDestination } from "@bursar/core/destination/destinationCommands"
import { shownDestinations, usableDestination, Destination } from "@bursar/core/destination/Destination"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { proposed, store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

/** Where a withdrawal would go, and which destination is shown to the tenant. */
const seen = Effect.fnUntraced(function* (id: TenantId) {
  const all = yield* (yield* Queries).records(id, Destination)
  const now = yield* Clock.currentTimeMillis
  return [
    usableDestination(all, "USDC_BASE", now)?.address ?? "nowhere",
    shownDestinations(all, now)
      .map(({ address }) => address)
      .join()
  ]
})

const reject = (id: TenantId, destination: { readonly id: string }) =>
  submit(id, rejectDestination(destination.id, "no"))

describe("the destination of withdrawals", () => {
  it.effect("is the one that is shown, whatever is proposed beside it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ destinationCoolingHours: 24 })
      const first = yield* proposed(id, "0xA")
      assert.deepStrictEqual(yield* seen(id), ["nowhere", "0xA"])
      yield* reject(id, first)
      yield* verified(id, "0xB")
      assert.deepStrictEqual(yield* seen(id), ["nowhere", "0xB"])
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      const next = yield* proposed(id, "0xC")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* reject(id, next)
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* verified(id, "0xD")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* seen(id), ["0xD", "0xD"])
    }).pipe(Effect.provide(store))
  )

  it.effect("never comes back to life once another has taken its place, or it was rejected", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, "0xA")
      yield* TestClock.adjust("1 hour")
      const second = yield* verified(id, "0xB")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* reject(id, second)
      assert.deepStrictEqual(yield* seen(id), ["nowhere", "0xB"])
      assert.strictEqual(yield* withdraw(id, 1_000_000n), "destination_not_verified")
      yield* verified(id, "0xC")
      assert.deepStrictEqual(yield* seen(id), ["0xC", "0xC"])
    }).pipe(Effect.provide(store))
  )

  it.effect("stays where its successor is rejected before it could receive", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ destinationCoolingHours: 24 })
      yield* verified(id, "0xA")
      yield* TestClock.adjust("24 hours")
      const second = yield* verified(id, "0xB")
      yield* TestClock.adjust("23 hours")
      yield* reject(id, second)
      assert.deepStrictEqual(yield* seen(id), ["0xA", "0xA"])
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* seen(id), ["0xA", "0xA"])
    }).pipe(Effect.provide(store))
  )
})
