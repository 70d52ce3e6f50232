import type { PayoutsRequest } from "@bursar/core/port/TransactionPlanner"
import { assert, describe, it } from "@effect/vitest"
import { planPayouts } from "../../../src/internal/plan/planPayouts.ts"

const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

const accounts: PayoutsRequest["accounts"] = {
  wallet: { address, nextSequence: null, openTransactions: 0, committed: [] },
  channels: []
}

/** A wallet of so many UTXOs of 1,000,000 satoshi. */
const walletOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    txHash: String(at + 1).repeat(64),
    vout: 0,
    units: 1_000_000n,
    address
  }))

const pay = (id: string, units: bigint, alone = false) => ({ id, to: address, contract: null, units, alone })

const plan = (payments: PayoutsRequest["payments"], { count = 3, paymentsMax = 100 } = {}) => {
  const request = { accounts, payments }
  const { transactions, waiting } = planPayouts({ request, utxos: walletOf(count), feeRate: 1_000n, paymentsMax })
  return { paid: transactions.map(({ ids }) => ids), waiting: waiting.map(({ id }) => id) }
}

describe("payouts of UTXOs", () => {
  it("share one transaction where all are covered", () => {
    assert.deepStrictEqual(plan([pay("a", 900_000n), pay("b", 900_000n)]), { paid: [["a", "b"]], waiting: [] })
  })

  it("leave without one that is larger than the wallet, wherever it stands", () => {
    const large = pay("large", 9_000_000n)
    const [a, b] = [pay("a", 50_000n), pay("b", 60_000n)]
    for (const order of [
      [large, a, b],
      [a, large, b],
      [a, b, large]
    ])
      assert.deepStrictEqual(plan(order), { paid: [["a", "b"]], waiting: ["large"] })
    const alone = { paid: [["a"]], waiting: ["large"] }
    assert.deepStrictEqual(plan([large, a], { paymentsMax: 1 }), alone, "in a transaction of its own")
    assert.deepStrictEqual(plan([{ ...large, alone: true }, a]), alone)
    assert.deepStrictEqual(plan([large]), { paid: [], waiting: ["large"] })
    assert.deepStrictEqual(plan([large, { ...large, id: "other" }]), { paid: [], waiting: ["large", "other"] })
  })

  it("say so where there are enough UTXOs, and too many for one transaction", () => {
    const utxos = Array.from({ length: 600 }, (_, vout) => ({ txHash: "1".repeat(64), vout, units: 10_000n, address }))
    const request = { accounts, payments: [pay("a", 5_500_000n)] }
    const { waiting } = planPayouts({ request, utxos, feeRate: 1_000n, paymentsMax: 100 })
    assert.match(waiting[0]?.detail ?? "", /^the 500 largest of 600 free confirmed UTXOs, .* lack [0-9]+ satoshi$/u)
  })

  it("leave the oldest first, and those beside them that are covered still", () => {
    const all = [pay("a", 1_500_000n), pay("b", 1_600_000n), pay("c", 1_400_000n), pay("d", 50_000n)]
    assert.deepStrictEqual(plan(all), { paid: [["a", "c", "d"]], waiting: ["b"] })
  })
})
