import { convert, divide, parseDecimal, usdCents } from "@bursar/core/money/Rate"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

describe("rates", () => {
  it("reads exact decimals and nothing else", () => {
    assert.deepStrictEqual(parseDecimal("1.50"), { units: 15n, decimals: 1 })
    assert.deepStrictEqual(parseDecimal("1.500"), { units: 15n, decimals: 1 })
    assert.deepStrictEqual(parseDecimal("1.050"), { units: 105n, decimals: 2 })
    assert.deepStrictEqual(parseDecimal("0"), { units: 0n, decimals: 0 })
    for (const text of ["", "-1", "+1", "1e3", "01", "1.", ".5", "1,5", "NaN"])
      assert.isUndefined(parseDecimal(text), text)
  })

  it("rounds up, down, and half to even", () => {
    assert.deepStrictEqual([divide(5n, 2n, "up"), divide(5n, 2n, "down"), divide(5n, 2n, "half-even")], [3n, 2n, 2n])
    assert.deepStrictEqual([divide(7n, 2n, "half-even"), divide(6n, 3n, "up")], [4n, 2n])
  })

  it.each([
    [4n, 3n, 1n],
    [8n, 3n, 3n],
    [7n, 3n, 2n],
    [5n, 3n, 2n],
    [0n, 3n, 0n]
  ])("rounds %i / %i to the nearest, whether that is even or not", (dividend, divisor, nearest) => {
    assert.strictEqual(divide(dividend, divisor, "half-even"), nearest)
  })

  it("converts across decimals: 1.5 BTC at 60000.5 USDC of 6 decimals", () => {
    const price = { units: 600005n, decimals: 1 }
    assert.strictEqual(convert(150_000_000n, { decimals: 8 }, { decimals: 6 }, price, "down"), 90_000_750_000n)
  })

  it("rounds US cents half to even", () => {
    assert.strictEqual(usdCents(25n, { decimals: 3 }, { units: 1n, decimals: 0 }), 2n)
    assert.strictEqual(usdCents(35n, { decimals: 3 }, { units: 1n, decimals: 0 }), 4n)
  })

  it("never gives the receiver more than the exact value when it rounds down, nor a unit less than that", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 24n),
        fc.bigInt(1n, 10n ** 12n),
        fc.nat(18),
        fc.nat(18),
        fc.nat(10),
        (units, price, from, to, decimals) => {
          const got = convert(units, { decimals: from }, { decimals: to }, { units: price, decimals }, "down")
          const exact = units * price * 10n ** BigInt(to)
          const scale = 10n ** BigInt(from + decimals)
          assert.isTrue(got * scale <= exact && (got + 1n) * scale > exact)
        }
      )
    )
  })
})
