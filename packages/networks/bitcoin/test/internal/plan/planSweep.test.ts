import type { PlannedDeposit } from "@bursar/core/port/TransactionPlanner"
import { assert, describe, it } from "@effect/vitest"
import { planSweep } from "../../../src/internal/plan/planSweep.ts"

const p2wpkh = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
const p2pkh = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"

const deposits = (address: string, count: number, most: bigint): ReadonlyArray<PlannedDeposit> =>
  Array.from({ length: count }, (_, at) => ({
    txHash: "1".repeat(64),
    transferIndex: at,
    address,
    units: most - BigInt(at)
  }))

const planned = (all: ReadonlyArray<PlannedDeposit>) => {
  const question = { costTimes: 3, deposits: all, to: p2wpkh }
  const plan = planSweep({ question, publicKeys: new Map(), feeRate: 1_000n, utxosMax: 200 })
  return plan._tag === "Sweep" ? plan.deposits : assert.fail(plan._tag)
}

describe("a sweep of P2PKH deposits", () => {
  it("takes so few that a signer reads it, however large the transactions were that paid them: the largest", () => {
    const old = deposits(p2pkh, 200, 2_000_000n)
    assert.deepStrictEqual(planned(old), old.slice(0, 5))
  })

  it("takes along as many others as fit", () => {
    const [old, others] = [deposits(p2pkh, 200, 2_000_000n), deposits(p2wpkh, 300, 1_000_000n)]
    assert.deepStrictEqual(planned([...others, ...old]), [...old.slice(0, 5), ...others.slice(0, 195)])
  })
})
