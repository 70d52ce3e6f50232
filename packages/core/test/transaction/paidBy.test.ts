import type { OutboundPayment } from "@bursar/core/transaction/OutboundTransaction"
import { paidBy } from "@bursar/core/transaction/paidBy"
import { assert, describe, it } from "@effect/vitest"

const payment = (operationId: string, to: string, units = 10n): OutboundPayment => ({
  ...{ operationId, to, units },
  contract: null,
  memo: null
})

describe("what a lost transaction pays of an outbound transaction", () => {
  const transaction = { from: "wallet", payments: [payment("a", "x"), payment("b", "y"), payment("c", "x", 20n)] }
  const moved = (...payments: ReadonlyArray<readonly [string, bigint]>) =>
    paidBy(transaction, { payments: payments.map(([to, units]) => ({ to, units, contract: null, memo: null })) })

  it("is told by what it moves, in the order of the payments, whatever comes back as change", () => {
    assert.deepStrictEqual(moved(["x", 20n], ["wallet", 7n], ["y", 10n]), [["b", "c"]])
    assert.deepStrictEqual(moved(["x", 10n]), [["a"]])
    assert.deepStrictEqual(moved(["wallet", 7n]), [[]])
  })

  it("is unknown where it pays somebody else, another amount, or one twice", () => {
    assert.deepStrictEqual(moved(["x", 10n], ["z", 1n]), [])
    assert.deepStrictEqual(moved(["x", 11n]), [])
    assert.deepStrictEqual(moved(["y", 10n], ["y", 10n]), [])
  })

  it("may be any of those that are alike", () => {
    const alike = [payment("a", "x"), payment("b", "y"), payment("c", "x"), payment("d", "x")]
    const of = (count: number) =>
      paidBy(
        { from: "wallet", payments: alike },
        { payments: Array.from({ length: count }, () => ({ to: "x", units: 10n, contract: null, memo: null })) }
      )
    assert.deepStrictEqual(of(1), [["a"], ["c"], ["d"]])
    assert.deepStrictEqual(of(2), [
      ["a", "c"],
      ["a", "d"],
      ["c", "d"]
    ])
    assert.deepStrictEqual(of(3), [["a", "c", "d"]])
    assert.deepStrictEqual(of(4), [])
  })

  it("is looked for in 50 of the choices among many that are alike", () => {
    const many = Array.from({ length: 60 }, (_, n) => payment(`o${n}`, "x"))
    const halves = many.slice(30).map(({ to, units }) => ({ to, units, contract: null, memo: null }))
    assert.strictEqual(paidBy({ from: "wallet", payments: many }, { payments: halves }).length, 50)
  })
})
