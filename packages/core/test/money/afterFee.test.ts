import { afterFee } from "@bursar/core/money/afterFee"
import { convert, type Rate } from "@bursar/core/money/Rate"
import { assert, describe, it } from "@effect/vitest"

const rate: Rate = { price: { units: 50_000n, decimals: 0 }, source: "kraken:XBTUSDT", observedAt: 7 }
const share = (units: bigint, decimals: number) => ({ units, decimals })

describe("afterFee", () => {
  it("what is promised is what is left after the fee, to the unit", () => {
    const net = afterFee(rate, share(26n, 4))
    assert.deepStrictEqual(net, { ...rate, price: { units: 498_700_000n, decimals: 4 } })
    const [btc, usd] = [{ decimals: 8 }, { decimals: 6 }]
    const gross = convert(12_345_678n, btc, usd, rate.price, "down")
    const left = convert(12_345_678n, btc, usd, net?.price ?? rate.price, "down")
    assert.strictEqual(left, gross - (gross * 26n + 9_999n) / 10_000n)
  })

  it("a fee that is known to be nothing changes nothing", () => {
    for (const decimals of [0, 4]) assert.deepStrictEqual(afterFee(rate, share(0n, decimals)), rate)
  })

  it("a share that is none is no price: a rebate is not passed on, and nothing may remain of nothing", () => {
    for (const none of [share(-1n, 4), share(1n, 0), share(100n, 2), share(2n, 0)]) assert.isNull(afterFee(rate, none))
  })
})
