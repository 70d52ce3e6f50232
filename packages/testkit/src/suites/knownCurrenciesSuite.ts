import { KnownCurrencies, type KnownCurrency } from "@bursar/core/port/KnownCurrencies"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const token = (code: string, more: Partial<KnownCurrency> = {}): KnownCurrency => ({
  code,
  network: "orchard",
  contract: `0x${"11".repeat(20)}`,
  decimals: 6,
  environment: "LIVE",
  ...more
})

/** What every KnownCurrencies must do: a code means for good what it meant when it was first bound. */
export const knownCurrenciesSuite = <E>(
  name: string,
  layer: Layer.Layer<KnownCurrencies, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: KnownCurrencies`, (it) => {
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

    it.effect("leaves one that is known as it is, and binds the new ones beside it", () =>
      Effect.gen(function* () {
        const { bind } = yield* KnownCurrencies
        yield* bind([token("OLD")], past)
        const other = token("OLD", { network: "grove", contract: null, decimals: 18, environment: "SANDBOX" })
        yield* bind([other, token("NEW")], past + 5)
        assert.deepStrictEqual(yield* among(["OLD", "NEW"]), [token("NEW"), token("OLD")])
      })
    )

    it.effect("of many that bind one code at once, one alone decides", () =>
      Effect.gen(function* () {
        const { bind } = yield* KnownCurrencies
        const many = Array.from({ length: 8 }, (_, n) => token("RACE", { decimals: n }))
        yield* Effect.forEach(many, (one) => bind([one], past), { concurrency: "unbounded" })
        const [bound, ...more] = yield* among(["RACE"])
        assert.isEmpty(more)
        yield* Effect.forEach(many, (one) => bind([one], past), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* among(["RACE"]), bound === undefined ? [] : [bound])
        assert.isDefined(bound)
      })
    )
  })
}
