import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { emptyState } from "@bursar/memory"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { layerFakeChains } from "@bursar/testkit/fixtures/FakeChain"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Worker from "../src/Worker.ts"
import { delivering, endpointOf, scripted, status } from "./deliver/world.ts"
import { available, begin, caughtUp, ethereum, statusOf, ticks, until, untilStatuses } from "./watch/world.ts"

const options: Worker.WorkerOptions = {
  currencies: defaultCurrencies,
  serviceName: "service",
  sandboxMayReachLocal: false
}

describe("the worker", () => {
  it.effect("watches every enabled network and tells of it, until it is stopped", () => {
    const one = ethereum()
    const other = ethereum({ network: "tron" })
    const way = scripted(() => status(200))
    const state = emptyState()
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      yield* endpointOf(id)
      const addresses = [yield* newAddress(id), yield* newAddress(id, "tron")]
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forkScoped(Worker.run(options))
          yield* caughtUp(one)
          yield* caughtUp(other)
          one.mine([transferTo(addresses[0]?.address ?? "", 1n)])
          other.mine([transferTo(addresses[1]?.address ?? "", 2n)])
          one.mineMany(2)
          other.mineMany(2)
          yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
          yield* until(
            "the partner was told",
            Effect.sync(() => way.sent.length === 6)
          )
        })
      )
      assert.strictEqual(yield* available(id), 1n)
      assert.strictEqual(yield* available(id, "TRX"), 2n)
      const stopped = yield* statusOf("ethereum")
      one.mine([transferTo(addresses[0]?.address ?? "", 1n)])
      yield* ticks(5)
      assert.deepStrictEqual(yield* statusOf("ethereum"), stopped)

      yield* Effect.forkScoped(Worker.run(options))
      yield* caughtUp(one)
      yield* until(
        "the partner was told of the rest",
        Effect.sync(() => way.sent.length === 7)
      )
    }).pipe(Effect.provide(Layer.mergeAll(way.layer, layerFakeChains(one, other))), Effect.provide(delivering(state)))
  })

  it.effect("starts with its layer and stops with the layer's scope", () => {
    const chain = ethereum()
    return Effect.gen(function* () {
      yield* begin
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(Worker.layer(options))
          yield* caughtUp(chain)
        })
      )
      const asked = chain.asked("tip")
      yield* ticks(5)
      assert.strictEqual(chain.asked("tip"), asked)
    }).pipe(Effect.provide(layerFakeChains(chain)), Effect.provide(delivering()))
  })
})
