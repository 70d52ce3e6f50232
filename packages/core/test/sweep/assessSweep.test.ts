import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { parseDecimal, type Rate } from "@bursar/core/money/Rate"
import { type SweepTerms, type SweepFigures, assessSweep } from "@bursar/core/sweep/assessSweep"
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
const nine: SweepFigures = {
  units: 9_000_000n,
  currency: currencyOf("USDT_TRON"),
  usd: dollars("1"),
  cost: 1_000_000n,
  native: currencyOf("TRX"),
  nativeUsd: dollars("0.3")
}

const assessed = (more: Partial<SweepFigures>, also: Partial<SweepTerms> = {}) => {
  const found = assessSweep({ ...nine, ...more }, { ...terms, ...also })
  return found._tag === "Worth" ? "worth" : found.reason
}

describe("what is worth sweeping", () => {
  it("rule 18: 9 USDT are not moved for 40 TRX", () => {
    assert.strictEqual(assessed({ cost: 40_000_000n }), "uneconomic")
    assert.strictEqual(assessed({ cost: 9_000_000n }), "worth")
  })

  it("moves more than so many times the cost, and not just as much", () => {
    // 3 TRX at 1 dollar cost 3 dollars, three times as much are 9
    assert.strictEqual(assessed({ cost: 3_000_000n, nativeUsd: dollars("1") }), "uneconomic")
    assert.strictEqual(assessed({ cost: 2_999_999n, nativeUsd: dollars("1") }), "worth")
    assert.strictEqual(assessed({ cost: 3_000_000n, nativeUsd: dollars("1") }, { costTimes: 2 }), "worth")
  })

  it("rule 16: sweeps nothing where a price or the cost is not known", () => {
    assert.strictEqual(assessed({ usd: null }), "price_unknown")
    assert.strictEqual(assessed({ nativeUsd: null }), "price_unknown")
    assert.strictEqual(assessed({ cost: null }), "cost_unknown")
  })

  it("keeps the cost below a share of the value, where there is one", () => {
    assert.strictEqual(assessed({ cost: 3_000_000n }, { costShareMaxPercent: 10 }), "worth")
    assert.strictEqual(assessed({ cost: 3_000_001n }, { costShareMaxPercent: 10 }), "uneconomic")
  })

  it("leaves what is below the threshold of its currency, and what is nothing", () => {
    assert.strictEqual(assessed({}, { unitsLeast: 9_000_001n }), "below_threshold")
    assert.strictEqual(assessed({}, { unitsLeast: 9_000_000n }), "worth")
    assert.strictEqual(assessed({ units: 0n, cost: 0n }), "below_threshold")
  })

  it("rounds against the sweep: a value of nearly nothing is nothing", () => {
    assert.strictEqual(assessed({ units: 1n, usd: dollars("0.0000000000001"), cost: 0n }), "uneconomic")
  })

  it("rounds against the sweep on both sides, where dollars cannot be told exactly", () => {
    // 1.000000000000000001 dollars of value and cost, to one digit more than is compared
    const [below, above] = ["0.0000000000000000015", "0.0000000000000000005"] as const
    const one = { units: 1_000_000n, cost: 1_000_000n }
    assert.strictEqual(assessed({ ...one, usd: dollars(below), nativeUsd: dollars("0") }, { costTimes: 1 }), "worth")
    assert.strictEqual(
      assessed({ ...one, usd: dollars(below), nativeUsd: dollars(above) }, { costTimes: 1 }),
      "uneconomic"
    )
    assert.strictEqual(
      assessed({ ...one, usd: dollars(above), nativeUsd: dollars("0") }, { costTimes: 1 }),
      "uneconomic"
    )
  })
})
