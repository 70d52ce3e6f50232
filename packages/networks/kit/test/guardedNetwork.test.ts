import type { StorageError } from "@bursar/core/engine/StorageError"
import { ChainError } from "@bursar/core/port/Chain"
import { guardedNetwork, onceDone } from "@bursar/network-kit/guardedNetwork"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { interruptedAt, steps } from "@bursar/testkit/fixtures/interruptedAt"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"

const other = new ChainError({
  network: "ethereum",
  reason: "other_chain",
  doing: "verify the chain",
  detail: "the node is of chain 5"
})

/** A network whose node answers everything, and says of which chain it is as a test wants. */
const worldOf = () => {
  let isRight = false
  let asked = 0
  const answers = Latch.makeUnsafe(true)
  const chain = makeFakeChain({ network: "ethereum" })
  const network = guardedNetwork(
    makeFakeNetwork("ethereum", {
      verifyChain: Effect.suspend(() => {
        asked += 1
        return Effect.andThen(Latch.await(answers), isRight ? Effect.void : Effect.fail(other))
      }),
      reader: { ...chain.reader, mempool: () => ({ changes: Effect.succeed({ transfers: [], gone: [], unread: 0 }) }) },
      sender: makeFakeSender({ network: "ethereum" }).sender
    })
  )
  return {
    network,
    answers,
    asked: () => asked,
    turnRight: () => {
      isRight = true
    }
  }
}

it.live("leaves nobody waiting for what is asked once, at whichever step whoever asked first is interrupted", () =>
  Effect.gen(function* () {
    for (const step of steps) {
      let asked = 0
      const ask = onceDone(Effect.sync(() => void (asked += 1)))
      yield* interruptedAt(step, ask)
      yield* ask
      assert.strictEqual(asked, 1)
    }
  })
)

describe("an adapter that is guarded", () => {
  it.effect("asks again while the node is of another chain, and no more once it is of the right one", () =>
    Effect.gen(function* () {
      const { asked, network, turnRight } = worldOf()
      const { reader, sender } = network
      for (const question of [reader.tip, sender.balance("0x1", null), sender.firstSequence("0x1")]) {
        assert.deepStrictEqual(yield* Effect.flip<unknown, ChainError, never>(question), other)
      }
      assert.strictEqual(asked(), 3)
      turnRight()
      yield* reader.tip
      yield* sender.balance("0x1", null)
      yield* sender.firstSequence("0x1")
      assert.strictEqual(asked(), 4)
    })
  )

  it.effect("asks once for all that want something before it is answered", () =>
    Effect.gen(function* () {
      const { answers, asked, network, turnRight } = worldOf()
      turnRight()
      yield* Latch.close(answers)
      const balance = network.sender.balance("0x1", null)
      const first = yield* Effect.forkChild(balance, { startImmediately: true })
      yield* Effect.yieldNow
      const others = yield* Effect.forkChild(Effect.all([balance, balance], { concurrency: "unbounded" }), {
        startImmediately: true
      })
      // whoever asked goes away, and the others have their answer
      yield* Fiber.interrupt(first)
      yield* Latch.open(answers)
      yield* Fiber.join(others)
      assert.strictEqual(asked(), 1)
    })
  )

  it.effect("plans nothing and keeps what waits for a block to itself while the node is of another chain", () =>
    Effect.gen(function* () {
      const { network, turnRight } = worldOf()
      const { planner } = network.sender
      const mempool = network.reader.mempool?.()
      if (mempool === undefined) return assert.fail("a part is missing")
      const wallet = { address: "0x1", nextSequence: null, openTransactions: 0, committed: [] }
      const accounts = { wallet, channels: [] }
      const payments = [{ id: "one", to: "0x2", contract: null, units: 1n, alone: false }]
      const questions: ReadonlyArray<Effect.Effect<unknown, ChainError | StorageError>> = [
        planner.payouts({ accounts, payments, underWayMax: 1, freeUtxos: Effect.succeed([]) }),
        planner.topUp({ accounts, to: "0x2", units: 1n }),
        planner.sweep({
          to: "0x1",
          account: "0x2",
          contract: null,
          deposits: [{ txHash: "0x", transferIndex: 0, address: "0x2", units: 1_000n }],
          costTimes: 3,
          nextSequence: null,
          budgetPercent: 300,
          keeps: 0n,
          topUp: "possible",
          publicKeyOf: () => Effect.succeed(undefined)
        }),
        mempool.changes
      ]
      for (const question of questions) assert.deepStrictEqual(yield* Effect.flip(question), other)
      turnRight()
      for (const question of questions) yield* question
    })
  )

  it.effect("says that it does not know where it cannot fail", () =>
    Effect.gen(function* () {
      const { network, turnRight } = worldOf()
      const { sender } = network
      const estimate = sender.estimate({ from: null, to: null, contract: null, units: 1n })
      const claimed = { txHash: "0x", contract: null, units: 1n, to: "0x1", senders: [], memo: null }
      assert.deepStrictEqual(yield* sender.broadcast(Uint8Array.of(1)), { _tag: "Unknown", detail: other.message })
      assert.deepStrictEqual(yield* sender.prove(claimed), { verdict: "UNREADABLE", reason: other.message })
      assert.isNull((yield* estimate).fee)
      turnRight()
      assert.isNotNull((yield* estimate).fee)
    })
  )
})
