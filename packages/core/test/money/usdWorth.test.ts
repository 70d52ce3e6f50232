import { type Currency, makeCurrencyTable } from "@bursar/core/money/Currency"
import { priceAgeMsMax } from "@bursar/core/money/freshPrice"
import { makeNetworkTable } from "@bursar/core/money/Network"
import type { Rate } from "@bursar/core/money/Rate"
import { freshUsd, usdWorth } from "@bursar/core/money/usdWorth"
import { assert, describe, it } from "@effect/vitest"

const coin: Currency = { code: "XYZ", name: "Test", kind: "COIN", decimals: 3, asset: null }
const currencies = makeCurrencyTable([coin], makeNetworkTable([]))
const rate: Rate = { price: { units: 15n, decimals: 1 }, source: "test", observedAt: 1_000_000 }
const priced = (price: Rate | null) => freshUsd(new Map([["XYZ", price]]), rate.observedAt)

describe("what an amount is worth in US dollars", () => {
  it.each([
    [1_000n, 150n],
    [1n, 0n],
    [30n, 4n],
    [0n, 0n]
  ])("%i thousandths at 1.5 are %i cents", (units, cents) => {
    assert.strictEqual(usdWorth(currencies, priced(rate), { units, currency: "XYZ" }), cents)
  })

  it("is not known where the amount, the currency or its price is not", () => {
    const amount = { units: 1_000n, currency: "XYZ" }
    assert.isNull(usdWorth(currencies, priced(rate), null))
    assert.isNull(usdWorth(currencies, () => rate, { ...amount, currency: "ABC" }))
    assert.isNull(usdWorth(currencies, priced(null), amount))
    assert.isNull(usdWorth(currencies, freshUsd(new Map(), rate.observedAt), amount))
  })

  it.each([
    [priceAgeMsMax, true],
    [priceAgeMsMax + 1, false],
    [-priceAgeMsMax, true],
    [-priceAgeMsMax - 1, false]
  ])("a price that is %i ms old counts: %s", (age, counts) => {
    const usd = freshUsd(new Map([["XYZ", rate]]), rate.observedAt + age)
    assert.strictEqual(usdWorth(currencies, usd, { units: 1_000n, currency: "XYZ" }), counts ? 150n : null)
  })
})
