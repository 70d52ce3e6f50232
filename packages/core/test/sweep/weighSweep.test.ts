import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { parseDecimal, type Rate } from "@bursar/core/money/Rate"
import { type SweepTerms, type SweepWeights, weighSweep } from "@bursar/core/sweep/weighSweep"
import { assert, describe, it } from "@effect/vitest"

const currencyOf = (code: string) => {
  const currency = defaultCurrencies.byCode(code)
  if (currency === undefined) throw new Error(code)
  return currency
}

const dollars = (text: string): Rate => ({
  price: parseDecimal(text) ?? { units: 0n, decimals: 0 },
  source: "test",
  observedAt: 0
})

const terms: SweepTerms = { costTimes: 3, costShareMaxPercent: null, unitsLeast: 0n }

/** 9 USDT on tron, and what TRX costs. */
const nine: SweepWeights = {
  units: 9_000_000n,
  currency: currencyOf("USDT_TRON"),
  usd: dollars("1"),
  cost: 1_000_000n,
  coin: currencyOf("TRX"),
  coinUsd: dollars("0.3")
}

const weighed = (more: Partial<SweepWeights>, also: Partial<SweepTerms> = {}) => {
  const found = weighSweep({ ...nine, ...more }, { ...terms, ...also })
  return found._tag === "Worth" ? "worth" : found.reason
}

describe("what is worth sweeping", () => {
  it("rule 18: 9 USDT are not moved for 40 TRX", () => {
    assert.strictEqual(weighed({ cost: 40_000_000n }), "too_dear")
    assert.strictEqual(weighed({ cost: 9_000_000n }), "worth")
  })

  it("moves more than so many times the cost, and not just as much", () => {
    // 3 TRX at 1 dollar cost 3 dollars, three times as much are 9
    assert.strictEqual(weighed({ cost: 3_000_000n, coinUsd: dollars("1") }), "too_dear")
    assert.strictEqual(weighed({ cost: 2_999_999n, coinUsd: dollars("1") }), "worth")
    assert.strictEqual(weighed({ cost: 3_000_000n, coinUsd: dollars("1") }, { costTimes: 2 }), "worth")
  })

  it("rule 16: sweeps nothing where a price or the cost is not known", () => {
    assert.strictEqual(weighed({ usd: null }), "price_unknown")
    assert.strictEqual(weighed({ coinUsd: null }), "price_unknown")
    assert.strictEqual(weighed({ cost: null }), "cost_unknown")
  })

  it("keeps the cost below a share of the value, where there is one", () => {
    assert.strictEqual(weighed({ cost: 3_000_000n }, { costShareMaxPercent: 10 }), "worth")
    assert.strictEqual(weighed({ cost: 3_000_001n }, { costShareMaxPercent: 10 }), "too_dear")
  })

  it("leaves what is below the threshold of its currency, and what is nothing", () => {
    assert.strictEqual(weighed({}, { unitsLeast: 9_000_001n }), "below_threshold")
    assert.strictEqual(weighed({}, { unitsLeast: 9_000_000n }), "worth")
    assert.strictEqual(weighed({ units: 0n, cost: 0n }), "below_threshold")
  })

  it("rounds against the sweep: a value of nearly nothing is nothing", () => {
    assert.strictEqual(weighed({ units: 1n, usd: dollars("0.0000000000001"), cost: 0n }), "too_dear")
  })
})
