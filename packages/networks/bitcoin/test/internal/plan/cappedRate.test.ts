import { bitcoinPlanner } from "@bursar/bitcoin/Planner"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

describe("payouts of UTXOs at a rate that a node makes up", () => {
  it.effect("are planned at no more than may be paid, and a rate above that shows when they are built", () =>
    Effect.gen(function* () {
      const feeRate = Effect.succeed(10n ** 15n)
      const planner = bitcoinPlanner({ feeRate, feeRateMax: 500_000n, paymentsMax: 100, sweepUtxosMax: 100 })
      const { transactions, waiting } = yield* planner.payouts({
        accounts: { wallet: { address, nextSequence: null, openTransactions: 0, committed: [] }, channels: [] },
        payments: [{ id: "a", to: address, contract: null, units: 100_000n, alone: false }],
        underWayMax: 10,
        freeUtxos: Effect.succeed([{ txHash: "1".repeat(64), vout: 0, units: 1_000_000n, address }])
      })
      assert.deepStrictEqual(waiting, [])
      assert.deepStrictEqual(
        transactions.map(({ ids }) => ids),
        [["a"]]
      )
    })
  )
})
