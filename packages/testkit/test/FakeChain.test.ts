import { makeFakeChain } from "../src/fixtures/FakeChain.ts"
import { transferTo } from "../src/fixtures/transfers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("makeFakeChain", () => {
  it.effect("links blocks by their parents and gives them by number, hash and time", () =>
    Effect.gen(function* () {
      const chain = makeFakeChain({ network: "ethereum", firstBlock: 100 })
      const block = chain.mine([transferTo("0xabc", 5n)])
      chain.mineMany(3)
      assert.deepStrictEqual(
        chain.blocks().map(({ number }) => number),
        [100, 101, 102, 103, 104]
      )
      for (const [index, { parentHash }] of chain.blocks().entries()) {
        if (index > 0) assert.strictEqual(parentHash, chain.blocks()[index - 1]?.hash)
      }
      assert.deepStrictEqual(yield* chain.reader.block(block.hash), block)
      assert.strictEqual((yield* chain.reader.header(101)).hash, block.hash)
      assert.strictEqual((yield* chain.reader.blockAt(block.time - 1)).number, 101)
      assert.strictEqual((yield* chain.reader.blockAt(Number.MAX_SAFE_INTEGER)).number, 104)
      const tip = yield* chain.reader.tip
      assert.deepStrictEqual([tip.latest.number, tip.confirmed], [104, 102])
    })
  )

  it.effect("does not know the blocks that a reorg took away", () =>
    Effect.gen(function* () {
      const chain = makeFakeChain({ network: "ethereum" })
      chain.mineMany(4)
      const gone = chain.latest()
      const branch = chain.reorg(2, [[], [transferTo("0xabc", 1n)], []])
      assert.deepStrictEqual(
        branch.map(({ number }) => number),
        [3, 4, 5]
      )
      assert.strictEqual((yield* Effect.flip(chain.reader.block(gone.hash))).reason, "absent")
      assert.notStrictEqual((yield* chain.reader.header(4)).hash, gone.hash)
    })
  )

  it.effect("fails as often as it was told to, then answers again", () =>
    Effect.gen(function* () {
      const chain = makeFakeChain({ network: "ethereum" })
      chain.fail("unreachable", 2, "tip")
      assert.strictEqual((yield* chain.reader.header(0)).number, 0)
      assert.strictEqual((yield* Effect.flip(chain.reader.tip)).reason, "unreachable")
      assert.strictEqual((yield* Effect.flip(chain.reader.tip)).reason, "unreachable")
      assert.strictEqual((yield* chain.reader.tip).latest.number, 0)
      assert.strictEqual(chain.asked("tip"), 3)
    })
  )

  it.effect("lags behind, and changes between two questions when told to", () =>
    Effect.gen(function* () {
      const chain = makeFakeChain({ network: "ethereum" })
      chain.mineMany(5)
      chain.setNodeLag(2)
      assert.strictEqual((yield* chain.reader.tip).latest.number, 3)
      assert.strictEqual((yield* Effect.flip(chain.reader.header(4))).reason, "absent")
      chain.setNodeLag(0)
      const before = yield* chain.reader.header(5)
      chain.before("header", () => chain.reorg(1))
      assert.notStrictEqual((yield* chain.reader.header(5)).hash, before.hash)
    })
  )
})
