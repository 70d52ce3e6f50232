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
    assert.deepStrictEqual(moved(["x", 20n], ["wallet", 7n], ["y", 10n]), ["b", "c"])
    assert.deepStrictEqual(moved(["x", 10n]), ["a"])
    assert.deepStrictEqual(moved(["wallet", 7n]), [])
  })

  it("is unknown where it pays somebody else, another amount, or one twice", () => {
    assert.isUndefined(moved(["x", 10n], ["z", 1n]))
    assert.isUndefined(moved(["x", 11n]))
    assert.isUndefined(moved(["y", 10n], ["y", 10n]))
  })
})
