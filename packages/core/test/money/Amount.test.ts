import * as Amount from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { decimals, units } from "@bursar/testkit/generators/amounts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"

const currency = (decimals: number): Currency => ({ code: "XYZ", name: "Test", kind: "COIN", decimals, asset: null })

const parse = (text: string, decimals: number): bigint | string =>
  Result.match(Amount.parse(text, currency(decimals)), {
    onSuccess: ({ units }) => units,
    onFailure: ({ code }) => code
  })

describe("Amount", () => {
  it.each([
    ["1", 0, 1n],
    ["1", 18, 1_000_000_000_000_000_000n],
    ["0.000000000000000001", 18, 1n],
    ["10.50", 2, 1_050n],
    ["10.500000000000000000000000000000", 2, 1_050n],
    ["0.1", 1, 1n],
    ["999999999999999999999999999999.99", 2, 99_999_999_999_999_999_999_999_999_999_999n]
  ])("reads %s with %i decimals", (text, decimals, units) => {
    assert.strictEqual(parse(text, decimals), units)
  })

  it.each([
    "",
    " ",
    "0",
    "0.0",
    "-1",
    "+1",
    "1.",
    ".5",
    "01",
    "00.5",
    "1e3",
    "1E3",
    "0x1",
    "1,5",
    "1 000",
    "1_000",
    " 1",
    "1 ",
    "1\n",
    "١",
    "NaN",
    "Infinity",
    "1.2.3",
    "1".repeat(31),
    `0.${"1".repeat(31)}`
  ])("refuses %j as no amount", (text) => {
    assert.strictEqual(parse(text, 18), "amount_invalid")
  })

  it.each([
    ["0.001", 2],
    ["1.5", 0],
    ["1.0000000000000000001", 18]
  ])("refuses %s, too precise for %i decimals", (text, decimals) => {
    assert.strictEqual(parse(text, decimals), "amount_too_precise")
  })

  it.each([
    [0n, 18, "0"],
    [1n, 18, "0.000000000000000001"],
    [100n, 2, "1"],
    [-150n, 2, "-1.5"],
    [-1n, 0, "-1"],
    [123n, 0, "123"]
  ])("writes %i units of %i decimals as %s", (units, decimals, text) => {
    assert.strictEqual(Amount.format(units, decimals), text)
  })

  it("reads back what it writes, exactly, and writes the shortest form", () => {
    fc.assert(
      fc.property(units, decimals, (units, decimals) => {
        const text = Amount.format(units, decimals)
        assert.notMatch(text, /e|\.$|\.\d*0$/u)
        const whole = text.split(".", 1)[0] ?? ""
        // a request may name at most thirty digits before the point
        assert.strictEqual(parse(text, decimals), whole.length > 30 ? "amount_invalid" : units)
        assert.strictEqual(Amount.format(-units, decimals), `-${text}`)
      })
    )
  })
})
