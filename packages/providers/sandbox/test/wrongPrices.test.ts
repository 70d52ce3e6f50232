import type { Rate } from "@bursar/core/money/Rate"
import type { Prices } from "@bursar/core/port/Prices"
import { SandboxPrices, SandboxStore } from "@bursar/sandbox"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { PricesWorld } from "@bursar/testkit/suites/prices/PricesWorld"
import { pricesTests } from "@bursar/testkit/suites/prices/pricesTests"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { press } from "./support/world.ts"

type Adapter = Prices["Service"]

/** All prices, and all rates, with something else said of them. */
const saying = (prices: Adapter, change: (rate: Rate) => Effect.Effect<Rate>): Adapter => {
  const changed = (asked: Effect.Effect<Rate | null>) =>
    Effect.flatMap(asked, (rate) => (rate === null ? Effect.succeed(null) : change(rate)))
  return { usd: (currency) => changed(prices.usd(currency)), rate: (from, to) => changed(prices.rate(from, to)) }
}

const one = { units: 1n, decimals: 0 }
const upright = "a rate is what one currency is worth in the other, and not the other way round"

/** Prices that lose money, each by one test alone. */
const wrongs: Readonly<
  Record<string, readonly [wrong: (prices: Adapter) => Adapter, failures: ReadonlyArray<string>]>
> = {
  "are right": [(prices) => prices, []],
  "tell rates the wrong way round": [(prices) => ({ ...prices, rate: (from, to) => prices.rate(to, from) }), [upright]],
  "tell one for every rate": [
    (prices) => ({
      ...prices,
      rate: (from, to) => Effect.map(prices.rate(from, to), (rate) => rate && { ...rate, price: one })
    }),
    [upright]
  ],
  "date whatever they have as seen now": [
    (prices) =>
      saying(prices, (rate) => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ ...rate, observedAt }))),
    ["a price is as old as its source says, and not as new as the question"]
  ]
}

/** The sandbox as a source that says of when its prices are. */
const worldOf = (wrong: (prices: Adapter) => Adapter) =>
  Layer.effect(
    PricesWorld,
    Effect.gen(function* () {
      let age = 0
      const { prices, routes } = yield* SandboxPrices.make({ store: SandboxStore.memory() })
      return PricesWorld.of({
        prices: wrong(saying(prices, (rate) => Effect.succeed({ ...rate, observedAt: rate.observedAt - age }))),
        currency: "BTC",
        other: "USDT_TRON",
        otherUsd: "1",
        setUsd: (usd) => Effect.orDie(Effect.asVoid(press(routes, "POST /prices", { currency: "BTC", usd }))),
        age: (ms) => Effect.sync(() => void (age = ms)),
        silence: Effect.die(new Error("the sandbox is never silent")),
        heal: Effect.void
      })
    })
  )

describe("the suite of prices", () => {
  it.live.each(Object.entries(wrongs))("tells of prices that %s", ([, [wrong, failures]]) =>
    Effect.map(
      failuresOf(worldOf(wrong), (tests) => pricesTests(tests, ["dates"], 60_000)),
      (found) => assert.deepStrictEqual(found, failures)
    )
  )
})
