import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { SandboxPrices, SandboxStore } from "@bursar/sandbox"
import { PricesWorld } from "@bursar/testkit/suites/prices/PricesWorld"
import { pricesSuite } from "@bursar/testkit/suites/pricesSuite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { press } from "./support/world.ts"

const layerWorld = Layer.effect(
  PricesWorld,
  Effect.gen(function* () {
    const { prices, routes } = yield* SandboxPrices.make({ store: SandboxStore.memory() })
    return PricesWorld.of({
      prices,
      currency: "BTC",
      other: "USDT_TRON",
      setUsd: (usd) => Effect.orDie(Effect.asVoid(press(routes, "POST /prices", { currency: "BTC", usd }))),
      otherUsd: "1",
      age: () => Effect.die(new Error("the sandbox dates nothing")),
      silence: Effect.die(new Error("the sandbox is never silent")),
      heal: Effect.void
    })
  })
)

pricesSuite("sandbox", layerWorld, { has: [] })

describe("SandboxPrices", () => {
  it.effect("knows a price of every currency that a service starts with", () =>
    Effect.gen(function* () {
      const { prices } = yield* SandboxPrices.make({ store: SandboxStore.memory() })
      for (const { code } of defaultCurrencies.all) assert.isNotNull(yield* prices.usd(code), code)
    })
  )

  it.effect("a rate is the quotient of two prices less the spread, seen now", () =>
    Effect.gen(function* () {
      const { prices } = yield* SandboxPrices.make({ store: SandboxStore.memory(), spreadBps: 50 })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* prices.rate("BTC", "ETH"), {
        price: { units: 199n, decimals: 1 },
        source: "sandbox",
        observedAt: 60_000
      })
    })
  )

  it.effect("refuses what is no price, and what is no currency", () =>
    Effect.gen(function* () {
      const { routes } = yield* SandboxPrices.make({ store: SandboxStore.memory() })
      for (const body of [
        { currency: "BTC", usd: "0" },
        { currency: "BTC", usd: "-1" },
        { currency: "BTC", usd: "1e3" },
        { currency: "DOGE", usd: "1" },
        { currency: "BTC" },
        { currency: "BTC", usd: 5 },
        { currency: "BTC", usd: "5", more: true }
      ]) {
        const error = yield* Effect.flip(press(routes, "POST /prices", body))
        assert.strictEqual(error.code, "invalid_request")
      }
    })
  )
})
