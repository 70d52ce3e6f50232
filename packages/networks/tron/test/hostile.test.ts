import { fromHex, makeTronReader } from "@bursar/tron"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import recorded from "./recorded/java-tron-4.8.0.json" with { type: "json" }
import { type ScriptedNode, scriptedNode } from "./support/ScriptedNode.ts"

const { block, infos } = recorded
const { transactions: _transactions, ...header } = block

/** More than any single info of the block, less than all together. */
const answerBytesMax = 9_000

/** A node that tells of the recorded block, and of some transactions as much as the network let them do. */
const serve = (node: ScriptedNode, resultOf: (id: string) => string) => {
  const all = infos.map((info) => ({ ...info, contractResult: [resultOf(info.id)] }))
  node.answer("getblockbyid", () => block)
  node.answer("getblock", () => header)
  node.answer("gettransactioninfobyblocknum", () => all)
  node.answer("gettransactioninfobyid", (body) => {
    const { value } = body as { readonly value: string }
    return all.find(({ id }) => id === value) ?? {}
  })
}

const readerOf = (node: ScriptedNode) =>
  makeTronReader({ nodeUrl: Redacted.make(node.url), contracts: recorded.tokens.map(fromHex), answerBytesMax })

describe("a block whose transactions return more than is read of one answer", () => {
  it.live("is read whole, one transaction at a time", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode
      serve(node, () => "")
      const truth = yield* readerOf(node).block(block.blockID)
      const before = node.asked()
      serve(node, () => "00".repeat(2_000))
      assert.deepStrictEqual(yield* readerOf(node).block(block.blockID), truth)
      assert.strictEqual(node.asked() - before, 3 + infos.length)
    })
  )

  it.live("names the one transaction whose own info is too large, and reads all others", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode
      serve(node, () => "")
      const truth = yield* readerOf(node).block(block.blockID)
      const [first] = infos
      const large = first?.id ?? ""
      serve(node, (id) => (id === large ? "00".repeat(answerBytesMax) : ""))
      const { transfers, unread = [] } = yield* readerOf(node).block(block.blockID)
      assert.deepStrictEqual(
        transfers,
        truth.transfers.filter(({ txHash }) => txHash !== large)
      )
      assert.deepStrictEqual(unread, [{ txHash: large, reason: "what it did is too large to be read", gains: null }])
    })
  )

  it.live("leads to nothing where the node tells of another transaction than was asked for", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode
      serve(node, () => "00".repeat(2_000))
      node.answer("gettransactioninfobyid", () => infos[0])
      const error = yield* Effect.flip(readerOf(node).block(block.blockID))
      assert.strictEqual(error.reason, "inconsistent")
    })
  )
})
