import { accountPlanner, nextSequenceGuard } from "@bursar/core/port/accountPlanner"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { poolSender } from "../../src/nodes/poolSender.ts"

const eth = 10n ** 18n

/** A node that tells a network fee for each payout, and what each account holds. */
const node = (operator: string, fee: bigint, held: bigint) => {
  const { sender } = makeFakeSender({ network: "ethereum" })
  const questions: Pick<ChainSender, "balance" | "estimate" | "firstSequence"> = {
    balance: () => Effect.succeed(held),
    estimate: () => Effect.succeed({ fee, recipientHoldsAsset: true, assumedWorstCase: false }),
    firstSequence: () => Effect.succeed(0n)
  }
  const planner = accountPlanner({
    ...questions,
    payoutFee: () => Effect.succeed(fee),
    lenders: ({ wallet }) => [wallet],
    underWayMax: 100,
    guardOf: nextSequenceGuard(questions.firstSequence)
  })
  return {
    reader: makeFakeChain({ network: "ethereum" }).reader,
    operator,
    sender: { ...sender, ...questions, planner }
  }
}

/** What nodes of several operators plan of payouts of so much. */
const planned = (
  nodes: readonly [ReturnType<typeof node>, ...ReadonlyArray<ReturnType<typeof node>>],
  units: ReadonlyArray<bigint>
) =>
  poolSender(nodes)
    .planner.payouts({
      accounts: { wallet: { address: "wallet", nextSequence: 0n, openTransactions: 0, committed: [] }, channels: [] },
      payments: units.map((each, at) => ({ id: `${at}`, to: "receiver", contract: null, units: each, alone: false })),
      underWayMax: 10,
      freeUtxos: Effect.succeed([])
    })
    .pipe(
      Effect.map(({ transactions, waiting }) => ({
        paid: transactions.map(({ fee, ids }) => `${ids.join()} for ${fee}`),
        waiting: waiting.map(({ id }) => id)
      }))
    )

describe("payouts whose network fee nodes of several operators tell", () => {
  it.effect("do not wait by a fee that one node makes up, however often it is asked first", () =>
    Effect.gen(function* () {
      const nodes = [node("one", 10n ** 30n, 100n * eth), node("two", 5n, 100n * eth)] as const
      const sender = [...nodes, node("three", 10n ** 30n, 100n * eth)] as const
      for (let n = 0; n < 5; n++)
        assert.deepStrictEqual(yield* planned(nodes, [eth, eth]), { paid: ["0 for 5", "1 for 5"], waiting: [] })
      assert.deepStrictEqual(yield* planned(sender, [eth]), { paid: ["0 for 5"], waiting: [] })
    })
  )

  it.effect("wait where each of them asks for more than there is", () =>
    Effect.gen(function* () {
      const nodes = [node("one", 10n ** 30n, 2n * eth), node("two", 2n * eth, 2n * eth)] as const
      assert.deepStrictEqual(yield* planned(nodes, [eth]), { paid: [], waiting: ["0"] })
    })
  )

  it.effect("wait for what they pay where the node that is asked does not see it, whatever another says", () =>
    Effect.gen(function* () {
      const nodes = [node("one", eth, 2n * eth), node("two", 5n, 100n * eth)] as const
      assert.deepStrictEqual(yield* planned(nodes, [50n * eth, 2n * eth, eth]), {
        paid: ["1 for 5", "2 for 5"],
        waiting: ["0"]
      })
      assert.deepStrictEqual(yield* planned(nodes, [50n * eth]), { paid: [], waiting: ["0"] })
    })
  )
})
