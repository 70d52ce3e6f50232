import { parseDecimal } from "@bursar/core/money/Rate"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type PricesFeature, PricesWorld } from "./PricesWorld.ts"

/** The same number, however it is written. */
const isSame = (text: string, price: { readonly units: bigint; readonly decimals: number }): boolean => {
  const wanted = parseDecimal(text)
  return (
    wanted !== undefined &&
    wanted.units * 10n ** BigInt(price.decimals) === price.units * 10n ** BigInt(wanted.decimals)
  )
}

/** A decimal text as a number, for comparisons that need no digit of it. */
const approximately = ({ decimals, units }: { readonly units: bigint; readonly decimals: number }): number =>
  Number(units) / 10 ** decimals

/** How far a rate may be from the quotient of two prices: what a market or a service keeps between buying and selling. */
const spreadMax = 0.1

/** What every Prices must do. */
export const pricesTests = (it: SuiteIt<PricesWorld>, has: ReadonlyArray<PricesFeature>, timeoutMs: number): void => {
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
    "a rate is what one currency is worth in the other, and not the other way round",
    () =>
      Effect.gen(function* () {
        const { currency, other, otherUsd, prices, setUsd } = yield* PricesWorld
        const otherWorth = parseDecimal(otherUsd)
        if (otherWorth === undefined) return assert.fail(`the world has no price of ${other}`)
        for (const text of ["3", "20000"]) {
          yield* setUsd(text)
          const worth = Number(text) / approximately(otherWorth)
          const there = yield* prices.rate(currency, other)
          const back = yield* prices.rate(other, currency)
          if (there === null || back === null) return assert.fail("a rate is not known")
          assert.closeTo(approximately(there.price), worth, worth * spreadMax, `${currency} in ${other}`)
          assert.closeTo(approximately(back.price), 1 / worth, spreadMax / worth, `${other} in ${currency}`)
        }
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

  if (has.includes("dates")) {
    it.effect(
      "a price is as old as its source says, and not as new as the question",
      () =>
        Effect.gen(function* () {
          const { age, currency, other, prices, setUsd } = yield* PricesWorld
          yield* setUsd("2")
          assert.isNotNull(yield* prices.usd(currency))
          const before = yield* Clock.currentTimeMillis
          yield* age(3_600_000)
          yield* Effect.ensuring(
            Effect.gen(function* () {
              // one that is too old to be told is not known
              for (const asked of [prices.usd(currency), prices.rate(currency, other)])
                assert.isBelow((yield* asked)?.observedAt ?? 0, before)
            }),
            age(0)
          )
          assert.isNotNull(yield* prices.usd(currency))
        }),
      timeoutMs
    )
  }

  if (has.includes("zero")) {
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

  if (has.includes("silence")) {
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
}
