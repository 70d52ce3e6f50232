import { parseDecimal } from "@bursar/core/money/Rate"
import { assert, layer as layerTests } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { PricesWorld } from "./prices/PricesWorld.ts"

/** Settings of the suite of prices. */
export interface PricesSuiteOptions extends SuiteOptions {
  /** What the world can show: a source that is silent, and one that tells a price of zero. */
  readonly has: ReadonlyArray<"silence" | "zero">
}

/** The same number, however it is written. */
const isSame = (text: string, price: { readonly units: bigint; readonly decimals: number }): boolean => {
  const wanted = parseDecimal(text)
  return (
    wanted !== undefined &&
    wanted.units * 10n ** BigInt(price.decimals) === price.units * 10n ** BigInt(wanted.decimals)
  )
}

/** What every Prices must do: exact decimals with who said them and when, and null for whatever is not known. */
export const pricesSuite = (
  name: string,
  layer: Layer.Layer<PricesWorld, unknown>,
  options: PricesSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Prices`, (it) => {
    const timeoutMs = timeoutOf(options)

    it.effect(
      "a price loses no digit, and says who told it and when",
      () =>
        Effect.gen(function* () {
          const { currency, prices, setUsd } = yield* PricesWorld
          for (const text of ["12345.67890123", "2", "0.5"]) {
            yield* setUsd(text)
            const rate = yield* prices.usd(currency)
            if (rate === null) return assert.fail(`${text} is not known`)
            assert.isTrue(isSame(text, rate.price), `${text} became ${rate.price.units} / 10^${rate.price.decimals}`)
            assert.isNotEmpty(rate.source)
            assert.isAtMost(rate.observedAt, yield* Clock.currentTimeMillis)
          }
          return undefined
        }),
      timeoutMs
    )

    it.effect(
      "there and back brings no more than one had",
      () =>
        Effect.gen(function* () {
          const { currency, other, prices, setUsd } = yield* PricesWorld
          yield* setUsd("3")
          const there = yield* prices.rate(currency, other)
          const back = yield* prices.rate(other, currency)
          if (there === null || back === null) return assert.fail("a rate is not known")
          assert.isTrue(there.price.units > 0n && back.price.units > 0n)
          const product = there.price.units * back.price.units
          assert.isTrue(product <= 10n ** BigInt(there.price.decimals + back.price.decimals))
          return undefined
        }),
      timeoutMs
    )

    it.effect(
      "what is not known is null",
      () =>
        Effect.gen(function* () {
          const { currency, other, prices, setUsd } = yield* PricesWorld
          assert.isNull(yield* prices.usd("NO_SUCH"))
          assert.isNull(yield* prices.rate(currency, "NO_SUCH"))
          assert.isNull(yield* prices.rate("NO_SUCH", currency))
          assert.isNull(yield* prices.rate(currency, currency))
          yield* setUsd(null)
          assert.isNull(yield* prices.usd(currency))
          assert.isNull(yield* prices.rate(currency, other))
          assert.isNull(yield* prices.rate(other, currency))
          yield* setUsd("2")
          assert.isNotNull(yield* prices.usd(currency))
        }),
      timeoutMs
    )

    if (options.has.includes("zero")) {
      it.effect(
        "a price of zero is none: nothing is worth nothing",
        () =>
          Effect.gen(function* () {
            const { currency, other, prices, setUsd } = yield* PricesWorld
            yield* setUsd("0")
            assert.isNull(yield* prices.usd(currency))
            assert.isNull(yield* prices.rate(currency, other))
            assert.isNull(yield* prices.rate(other, currency))
            yield* setUsd("2")
            assert.isNotNull(yield* prices.usd(currency))
          }),
        timeoutMs
      )
    }

    if (options.has.includes("silence")) {
      it.effect(
        "a source that stays silent makes prices unknown, not old",
        () =>
          Effect.gen(function* () {
            const { currency, heal, other, prices, setUsd, silence } = yield* PricesWorld
            yield* setUsd("2")
            assert.isNotNull(yield* prices.usd(currency))
            yield* silence
            yield* Effect.ensuring(
              Effect.gen(function* () {
                assert.isNull(yield* prices.usd(currency))
                assert.isNull(yield* prices.rate(currency, other))
              }),
              heal
            )
            assert.isNotNull(yield* prices.usd(currency))
          }),
        timeoutMs
      )
    }
  })
}
