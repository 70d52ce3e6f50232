import type { PayoutsPlan } from "@bursar/core/port/TransactionPlanner"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashOf, quantity, token } from "../../support/blocks.ts"
import { from, gwei, payment, setup, to } from "../../support/senderNode.ts"
import type { ScriptedNode } from "../../support/ScriptedNode.ts"

/** What a sender plans of a payment of a wallet that has one coin. */
const planned = ({ planner }: ChainSender, contract: string | null = null) =>
  planner.payouts({
    accounts: { wallet: { address: from, nextSequence: 5n, openTransactions: 0, committed: [] }, channels: [] },
    payments: [{ id: "1", to, contract, units: 1n, alone: false }],
    underWayMax: 10,
    freeUtxos: Effect.succeed([])
  })

const ids = ({ transactions, waiting }: PayoutsPlan) => ({
  transactions: transactions.flatMap(({ ids: all }) => all),
  waiting: waiting.map(({ id }) => id)
})

const asks = (node: ScriptedNode, baseFee: bigint) =>
  node.answer("eth_getBlockByNumber", () => ({
    number: quantity(20),
    hash: hashOf(1_020),
    parentHash: hashOf(1_019),
    timestamp: quantity(1_700_000_020),
    baseFeePerGas: quantity(baseFee)
  }))

describe("a payout whose network fee a node tells", () => {
  it.live("waits for no coin where the price is above what may be bid: it shows as that when it is built", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({ feeCapPerGas: 500n * gwei })
      const units = { transactions: ["1"], waiting: [] }
      for (const price of [500n * gwei, 10n ** 30n]) {
        asks(node, price)
        assert.deepStrictEqual(ids(yield* planned(sender)), units)
        assert.deepStrictEqual(ids(yield* planned(sender, token)), units)
        const refused = yield* Effect.flip(sender.build(payment()))
        assert.strictEqual(refused._tag === "CannotBuild" ? refused.reason : refused._tag, "fee_capped")
      }
      // what is estimated for others is what it would cost
      const { fee } = yield* sender.estimate({ from, to, contract: null, units: 1n })
      assert.isTrue((fee ?? 0n) > 10n ** 30n)
    })
  )

  it.live("waits for no more coin than all the gas that a payment may take costs at the highest bid", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({ feeCapPerGas: 500n * gwei })
      asks(node, 400n * gwei)
      node.answer("eth_estimateGas", () => quantity(10n ** 18n))
      const { transactions } = yield* planned(sender)
      assert.deepStrictEqual(
        transactions.map(({ fee }) => fee),
        [21_000n * 401n * gwei]
      )
      // the wallet has not enough for the dearest receiver beside, and is then asked about this one
      node.answer("eth_getBalance", () => quantity(10n ** 15n))
      const { waiting } = yield* planned(sender)
      assert.include(waiting[0]?.detail, `${500_000n * 401n * gwei} are needed`)
    })
  )

  it.live("does not wait for what base is said to charge beside, where that is above all that may be bid", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({}, "base")
      node.answer("eth_call", () => `0x${"f".repeat(60)}`.padEnd(66, "0"))
      assert.deepStrictEqual(ids(yield* planned(sender)), { transactions: ["1"], waiting: [] })
    })
  )
})
