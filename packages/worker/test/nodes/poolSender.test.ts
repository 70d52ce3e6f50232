import type { Broadcast, ChainSender } from "@bursar/core/port/ChainSender"
import { type FakeChain, makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { defaultNodeLimits } from "../../src/nodes/NodePool.ts"
import { poolSender } from "../../src/nodes/poolSender.ts"
import type { SenderNode } from "../../src/nodes/SenderNode.ts"

const raw = Uint8Array.of(1)

/** Two nodes of which each says what balance it reads, and what it answers to a transaction. */
const world = (...broadcasts: readonly [Effect.Effect<Broadcast>, Effect.Effect<Broadcast>]) => {
  const { sender } = makeFakeSender({ network: "ethereum" })
  const given: Array<number> = []
  const nodes = broadcasts.map((answer, index): { readonly chain: FakeChain; readonly node: SenderNode } => {
    const chain = makeFakeChain({ network: "ethereum" })
    const own: ChainSender = {
      ...sender,
      balance: () => Effect.as(chain.reader.header(0), BigInt(index)),
      broadcast: () =>
        Effect.andThen(
          Effect.sync(() => given.push(index)),
          answer
        )
    }
    return { chain, node: { reader: chain.reader, sender: own } }
  })
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Error("there are two")
  return { given, chains: [first.chain, second.chain], sender: poolSender([first.node, second.node]) } as const
}

const taken = Effect.succeed<Broadcast>({ _tag: "Accepted" })
const refused = Effect.succeed<Broadcast>({ _tag: "Rejected", reason: "guard_used", detail: "first" })
const unknown = Effect.succeed<Broadcast>({ _tag: "Unknown", detail: "silence" })

describe("a sender over several nodes", () => {
  it.effect("gives a transaction to all of them", () =>
    Effect.gen(function* () {
      const { given, sender } = world(taken, taken)
      assert.strictEqual((yield* sender.broadcast(raw))._tag, "Accepted")
      assert.deepStrictEqual(given, [0, 1])
    })
  )

  it.effect("says of a transaction the least that is certain", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* world(refused, taken).sender.broadcast(raw))._tag, "Accepted")
      assert.strictEqual((yield* world(refused, unknown).sender.broadcast(raw))._tag, "Unknown")
      assert.strictEqual((yield* world(refused, refused).sender.broadcast(raw))._tag, "Rejected")
    })
  )

  it.effect("does not wait for a silent node once another has the transaction", () =>
    Effect.gen(function* () {
      const { sender } = world(Effect.never, taken)
      const fiber = yield* Effect.forkChild(sender.broadcast(raw))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Accepted")
    })
  )

  it.effect("asks a node that is behind nothing, and fails where each is behind", () =>
    Effect.gen(function* () {
      const { chains, sender } = world(taken, taken)
      for (const chain of chains) chain.mineMany(5)
      assert.strictEqual(yield* sender.balance("a", null), 0n)
      chains[0].setNodeLag(2)
      yield* TestClock.adjust(defaultNodeLimits.freshMs)
      assert.strictEqual(yield* sender.balance("a", null), 1n)
      chains[1].setNodeLag(1)
      yield* TestClock.adjust(defaultNodeLimits.freshMs)
      assert.strictEqual((yield* Effect.flip(sender.balance("a", null)))._tag, "ChainError")
    })
  )

  it.effect("asks what became of a transaction of a node that has a block, where another has not come so far yet", () =>
    Effect.gen(function* () {
      const { sender } = makeFakeSender({ network: "ethereum" })
      const asked: Array<number> = []
      const node = (index: number) => {
        const chain = makeFakeChain({ network: "ethereum" })
        chain.mineMany(5)
        const status: ChainSender["status"] = () =>
          Effect.sync(() => {
            asked.push(index)
            return { _tag: "Pending", known: true } as const
          })
        return { chain, node: { reader: chain.reader, sender: { ...sender, status } } }
      }
      const [first, second] = [node(0), node(1)]
      const pool = poolSender([first.node, second.node])
      const order = { from: "a", guard: { _tag: "Expiry" } } as const
      const status = (hash: string, number: number) =>
        pool.statusSince?.({ hash, number }, order, []) ?? Effect.die(new Error("it can be asked"))
      yield* status(first.chain.latest().hash, 5)
      assert.deepStrictEqual(asked, [0])
      // a block that only the second has; where each of them stands was told before
      second.chain.mineMany(1)
      const { hash, number } = second.chain.latest()
      yield* status(hash, number)
      assert.deepStrictEqual(asked, [0, 1])
      assert.strictEqual((yield* Effect.flip(status("another", number)))._tag, "ChainError")
      assert.deepStrictEqual(asked, [0, 1])
    })
  )

  it.effect("asks the next where the first does not answer", () =>
    Effect.gen(function* () {
      const { chains, sender } = world(taken, taken)
      assert.strictEqual(yield* sender.balance("a", null), 0n)
      chains[0].fail("unreachable", 1_000)
      assert.strictEqual(yield* sender.balance("a", null), 1n)
    })
  )
})
