import * as TronDevnet from "@bursar/simulator-tron/TronDevnet"
import { fromEvmHex, makeTronReader } from "@bursar/tron"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { scriptedNode } from "./support/ScriptedNode.ts"
import { inHex, pinned } from "./support/World.ts"

const someone = inHex(fromEvmHex("5b".padEnd(40, "2")))

/** A local network with so many blocks, each of which pays so much. */
const network = Effect.fnUntraced(function* (blocks: number, units: bigint) {
  const devnet = yield* TronDevnet.make({ mining: "automine" })
  for (let n = 0; n < blocks; n++) yield* devnet.faucet.sendNative(someone, units)
  return devnet
})

type Devnet = Effect.Success<ReturnType<typeof network>>

/** A reader of the newest blocks of one network and the solidified blocks of another node. */
const over = (newest: Devnet, solidityUrl: string) =>
  makeTronReader({
    nodeUrl: Redacted.make(newest.nodeUrl),
    solidityUrl: Redacted.make(solidityUrl),
    contracts: pinned,
    genesisBlockId: newest.genesisBlockId
  })

describe("a solidified view that is of another node", () => {
  it.live("is believed where that node has the same blocks", () =>
    Effect.gen(function* () {
      const devnet = yield* network(6, 5n)
      const reader = over(devnet, devnet.nodeUrl)
      yield* reader.verifyChain
      const { confirmed, latest } = yield* reader.tip
      assert.isAbove(confirmed, 0)
      assert.isBelow(confirmed, latest.number)
    })
  )

  for (const [name, blocks] of [
    ["lower", 4],
    ["higher", 30]
  ] as const)
    it.live(`confirms nothing where that node is on another fork, and ${name}`, () =>
      Effect.gen(function* () {
        const [devnet, fork] = [yield* network(6, 5n), yield* network(blocks, 7n)]
        assert.strictEqual(devnet.genesisBlockId, fork.genesisBlockId)
        const { message, reason } = yield* Effect.flip(over(devnet, fork.nodeUrl).tip)
        assert.strictEqual(reason, "inconsistent")
        assert.include(message, "on a fork")
      })
    )

  it.live("is of another chain where its first block is another", () =>
    Effect.gen(function* () {
      const devnet = yield* network(1, 5n)
      const foreign = yield* scriptedNode
      const blockID = "00".repeat(32)
      // with a field that is not known, no hash of the header contradicts the id
      foreign.answer("getblock", () => ({ blockID, block_header: { raw_data: { parentHash: blockID, newField: 1 } } }))
      const { message, reason } = yield* Effect.flip(over(devnet, foreign.url).verifyChain)
      assert.strictEqual(reason, "other_chain")
      assert.include(message, "/walletsolidity")
    })
  )
})
