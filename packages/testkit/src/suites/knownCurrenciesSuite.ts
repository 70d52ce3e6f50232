import { KnownCurrencies, type KnownCurrency } from "@bursar/core/port/KnownCurrencies"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { adjust } from "../fixtures/commands.ts"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const token = (code: string, more: Partial<KnownCurrency> = {}): KnownCurrency => ({
  code,
  network: "orchard",
  contract: `0x${"11".repeat(20)}`,
  decimals: 6,
  environment: "LIVE",
  ...more
})

/** Settings of the suite of KnownCurrencies. */
export interface KnownCurrenciesSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<KnownCurrencies>
}

/** The tests of the suite. */
export const knownCurrenciesTests = (
  it: SuiteIt<KnownCurrencies | Storage | Tenants>,
  options: KnownCurrenciesSuiteOptions
): void => {
  const among = (codes: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { all } = yield* KnownCurrencies
      return (yield* all).filter(({ code }) => codes.includes(code))
    })

  it.effect("binds currencies of every kind, and tells them by code", () =>
    Effect.gen(function* () {
      const { bind } = yield* KnownCurrencies
      const bank = token("BANK", { network: null, contract: null, decimals: 2, environment: null })
      const coin = token("COIN", { contract: null, decimals: 18, environment: "SANDBOX" })
      yield* bind([], past)
      yield* bind([coin], past)
      yield* bind([token("TOKEN"), coin, bank], past)
      assert.deepStrictEqual(yield* among(["TOKEN", "COIN", "BANK"]), [bank, coin, token("TOKEN")])
    })
  )

  it.effect(
    "binds new ones beside those that are known as they are given, in whatever case their contracts stand",
    () =>
      Effect.gen(function* () {
        const { bind } = yield* KnownCurrencies
        const old = token("OLD", { contract: `0x${"ab".repeat(20)}` })
        assert.deepStrictEqual(yield* bind([old], past), [])
        const again = { ...old, contract: `0x${"AB".repeat(20)}` }
        assert.deepStrictEqual(yield* bind([again, token("NEW")], past + 5), [])
        assert.deepStrictEqual(yield* among(["OLD", "NEW"]), [token("NEW"), old])
      })
  )

  it.effect("binds nothing beside one that is known as something else, and names that one", () =>
    Effect.gen(function* () {
      const { bind } = yield* KnownCurrencies
      yield* bind([token("FIRST")], past)
      for (const more of [
        { network: "grove" },
        { contract: null },
        { decimals: 18 },
        { environment: "SANDBOX" }
      ] as const) {
        const given = [token("BEFORE"), token("FIRST", more), token("SECOND")]
        assert.deepStrictEqual(yield* bind(given, past + 5), [token("FIRST")])
      }
      assert.deepStrictEqual(yield* among(["BEFORE", "FIRST", "SECOND"]), [token("FIRST")])
    })
  )

  it.effect("tells what the books of all tenants have amounts of, each once, bound or not", () =>
    Effect.gen(function* () {
      const { bind, inBooks } = yield* KnownCurrencies
      const codes = ["BOOKED_ONE", "BOOKED_TWO"]
      for (const code of [...codes, ...codes]) yield* commitAt((yield* newTenant()).id, past, adjust(5n, code))
      yield* bind([token("BOOKED_ONE"), token("UNBOOKED")], past)
      const told = (yield* inBooks).filter((code) => code.includes("BOOKED"))
      assert.deepStrictEqual(told, codes)
    })
  )

  it.effect("of many that bind one code at once from two processes, one alone decides", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* KnownCurrencies, yield* secondOf(KnownCurrencies, options.second)]
      const bind = (n: number, currencies: ReadonlyArray<KnownCurrency>) =>
        (n % 4 < 2 ? first : second).bind(currencies, past)
      const many = Array.from({ length: 8 }, (_, n) => token("RACE", { decimals: n }))
      // each brings one of its own too, in another order, and leaves it behind alone if it is the first
      const tried = yield* Effect.forEach(
        many,
        (one, n) => {
          const both = [one, token(`OWN_${n}`)]
          return bind(n, n % 2 === 0 ? both : both.toReversed())
        },
        { concurrency: "unbounded" }
      )
      const [bound, ...more] = yield* among(["RACE"])
      assert.isEmpty(more)
      assert.deepStrictEqual(
        tried.map(([conflict]) => conflict),
        many.map(({ decimals }) => (decimals === bound?.decimals ? undefined : bound))
      )
      const own = yield* among(many.map((_, n) => `OWN_${n}`))
      assert.deepStrictEqual(
        own.map(({ code }) => code),
        [`OWN_${bound?.decimals}`]
      )
      yield* Effect.forEach(many, (one, n) => bind(n, [one]), { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* among(["RACE"]), bound === undefined ? [] : [bound])
      assert.isDefined(bound)
    })
  )
}

/** What every KnownCurrencies must do: a code means for good what it meant when it was first bound. */
export const knownCurrenciesSuite = <E>(
  name: string,
  layer: Layer.Layer<KnownCurrencies | Storage | Tenants, E>,
  options: KnownCurrenciesSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: KnownCurrencies`, (it) =>
    knownCurrenciesTests(it, options)
  )
}
