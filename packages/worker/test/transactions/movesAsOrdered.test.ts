import type { Payment, SendOrder } from "@bursar/core/port/ChainSender"
import { assert, describe, it } from "@effect/vitest"
import { movesAsOrdered } from "../../src/transactions/movesAsOrdered.ts"

const payment = (more: Partial<Payment> = {}): Payment => ({
  ...{ to: "wallet", contract: "token", units: 5n, memo: null },
  ...more
})

const order = (more: Partial<SendOrder> = {}) => ({
  ...{ from: "a", drain: false, payments: [payment()] },
  guard: { _tag: "Sequence", account: "a", sequence: 1n } as const,
  ...more
})

describe("what was signed for no request", () => {
  it("is of an order where it pays just what that pays", () => {
    assert.isTrue(movesAsOrdered(order(), { payments: [payment()] }))
    assert.isTrue(movesAsOrdered(order({ payments: [] }), { payments: [] }))
    for (const other of [{ to: "b" }, { contract: null }, { units: 4n }, { memo: { type: "id", value: "1" } as const }])
      assert.isFalse(movesAsOrdered(order(), { payments: [payment(other)] }), JSON.stringify(Object.keys(other)))
    assert.isFalse(movesAsOrdered(order(), { payments: [] }))
    assert.isFalse(movesAsOrdered(order({ payments: [] }), { payments: [payment()] }))
    assert.isFalse(movesAsOrdered(order(), { payments: [payment(), payment()] }))
  })

  it("is of an order where its account agrees to just the same assets", () => {
    const agreed = (account: string, ...contracts: ReadonlyArray<string>) => ({
      payments: [],
      trustlines: contracts.map((contract) => ({ account, contract }))
    })
    const asked = order({ payments: [], trustlines: ["x", "y"] })
    assert.isTrue(movesAsOrdered(asked, agreed("a", "y", "x")))
    assert.isFalse(movesAsOrdered(asked, agreed("a", "x")))
    assert.isFalse(movesAsOrdered(asked, agreed("b", "x", "y")))
    assert.isFalse(movesAsOrdered(asked, { payments: [] }))
    assert.isFalse(movesAsOrdered(order({ payments: [] }), agreed("a", "x")))
  })

  it("is of an order of outputs where it gives them to whom that does, for whatever fee", () => {
    const guard = { _tag: "Utxos", utxos: [] } as const
    const drains = order({ guard, drain: true })
    assert.isTrue(movesAsOrdered(drains, { payments: [payment({ units: 3n })] }))
    assert.isFalse(movesAsOrdered(drains, { payments: [payment({ to: "b" })] }))
    const idle = order({ guard, payments: [] })
    assert.isTrue(movesAsOrdered(idle, { payments: [payment({ to: "a" })] }))
    assert.isFalse(movesAsOrdered(idle, { payments: [payment()] }))
  })
})
