import { assert, describe, it } from "@effect/vitest"
import { parse, type Exact } from "../src/internal/Exact.ts"
import { filledBy } from "../src/internal/filled.ts"
import type { WireOrder } from "../src/internal/Profile.ts"

const exact = (text: string): Exact => parse(text) ?? assert.fail(text)

const figure = ({ decimals, units }: Exact): number => Number(units) / 10 ** decimals

/** A buy for 100 USDT of which so much was spent, and so much was the fee in USDT: what the exchange took of the order, and beside it. */
const taken = (spent: string, fee: string) => {
  // all of an order that is read
  const order = { side: "buy", amount: "100", market: { base: "BTC", quote: "USDT" } } as WireOrder
  const fees = [{ coin: "USDT", amount: exact(fee) }]
  const report = filledBy("1", order, { spent: exact(spent), brought: exact("1"), fees })
  if (report._tag !== "Filled" || report.sold === null) return assert.fail(report._tag)
  return [figure(report.sold), ...report.beside.map(({ amount }) => figure(amount))]
}

describe("what an exchange took of an order", () => {
  for (const [what, spent, fee, all] of [
    ["a fee out of the ordered amount is a part of it", "99.5", "0.5", [100]],
    ["a fee on top of it is beside", "100", "0.5", [100, 0.5]],
    ["a fee partly on top is both", "99.9", "0.5", [100, 0.4]],
    ["what was not sold is left", "98", "0.5", [98.5]],
    ["more than was ordered is told", "101", "0", [101]],
    ["more than was ordered is told with its fee", "101", "0.5", [101, 1.5]]
  ] as const)
    it(`${what}: ${spent} was spent of 100, and the fee was ${fee}`, () => {
      const [sold, ...beside] = taken(spent, fee)
      assert.deepStrictEqual([sold, ...beside.map((one) => Math.round(one * 10) / 10)], [...all])
    })
})
