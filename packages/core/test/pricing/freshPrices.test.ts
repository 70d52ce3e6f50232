import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { freshPrice, priceAgeMsMax } from "@bursar/core/money/freshPrice"
import type { Rate } from "@bursar/core/money/Rate"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { createSwap } from "@bursar/core/swap/createSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dollar, keyed, store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const swap = (id: TenantId, rate: Rate) =>
  keyed(
    id,
    createSwap({
      madeBy: "maker",
      amount: of(100_000_000n, "USDC_BASE"),
      toCurrency: "EUR",
      customerId: null,
      quoteId: null,
      partnerReference: null,
      provider: { name: "fake", environment: "LIVE" },
      pair: { minimum: null, step: null },
      rate,
      defaultFees: [],
      currencies: defaultCurrencies
    })
  )

const quote = (id: TenantId, rate: Rate) =>
  submit(
    id,
    createQuote({
      product: "SWAP",
      amount: of(100_000_000n, "USDC_BASE"),
      toCurrency: "EUR",
      customerId: null,
      rail: null,
      country: null,
      provider: "fake",
      rate,
      pair: { minimum: null, step: null },
      networkFee: null,
      lifetimeMs: 60_000,
      defaultFees: [],
      currencies: defaultCurrencies
    })
  ).pipe(
    Effect.map(({ id: made }) => made.length > 0 && "quoted"),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )

const outcome = (made: unknown) => (typeof made === "string" ? made : "accepted")

/** What becomes of each use of a price that was seen so long ago, and says so much. */
const uses = Effect.fnUntraced(function* (id: TenantId, agedMs: number, units = 1n) {
  const seen = yield* dollar(agedMs)
  const rate = { ...seen, price: { ...seen.price, units } }
  return [
    outcome(yield* swap(id, rate)),
    yield* quote(id, rate),
    outcome(yield* withdraw(id, 1_000_000n, { usd: rate }))
  ]
})

describe("a price that is used", () => {
  it("is as good as none once it is too old, or comes from a clock that is as far ahead", () => {
    const price: Rate = { price: { units: 1n, decimals: 0 }, source: "test", observedAt: 1_000_000 }
    const at = (now: number) => freshPrice(price, now) !== null
    assert.deepStrictEqual(
      [0, priceAgeMsMax, priceAgeMsMax + 1, -priceAgeMsMax, -priceAgeMsMax - 1].map((age) => at(1_000_000 + age)),
      [true, true, false, true, false]
    )
  })

  it.effect("is fresh for swaps, quotes and withdrawals, or they are refused", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1000 days")
      const id = yield* withdrawer()
      yield* verified(id, "0xA")
      const refused = ["price_unavailable", "price_unavailable", "price_unavailable"]
      assert.deepStrictEqual(yield* uses(id, 3 * 365 * 86_400_000), refused)
      assert.deepStrictEqual(yield* uses(id, priceAgeMsMax + 1), refused)
      assert.deepStrictEqual(yield* uses(id, -priceAgeMsMax - 1), refused)
      assert.deepStrictEqual(yield* uses(id, priceAgeMsMax), ["accepted", "quoted", "accepted"])
    }).pipe(Effect.provide(store))
  )

  it("is as good as none where it is zero or less: nobody gives money away", () => {
    const at = (units: bigint) => freshPrice({ price: { units, decimals: 2 }, source: "test", observedAt: 0 }, 0)
    assert.deepStrictEqual(
      [-1n, 0n, 1n].map((units) => at(units) !== null),
      [false, false, true]
    )
  })

  it.effect("is above zero, or limits, swaps and quotes refuse as they do where none is known", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ withdrawalLimitUsd: "1" })
      yield* verified(id, "0xA")
      for (const units of [0n, -5n])
        assert.deepStrictEqual(yield* uses(id, 0, units), [
          "price_unavailable",
          "price_unavailable",
          "price_unavailable"
        ])
      assert.deepStrictEqual(yield* uses(id, 0), ["accepted", "quoted", "accepted"])
    }).pipe(Effect.provide(store))
  )
})
