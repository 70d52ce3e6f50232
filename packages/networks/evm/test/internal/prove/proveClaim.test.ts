import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { addressOf, blockOf, hashOf, quantity, serve } from "../../support/blocks.ts"
import { refuse } from "../../support/ScriptedNode.ts"
import { from, setup, to } from "../../support/senderNode.ts"

describe("prove, without traces or history", () => {
  const claimed = { txHash: hashOf(0xabc), contract: null, units: 1n, to, senders: [], memo: null }

  it.live("says nothing of a transaction that the node does not know", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
    })
  )

  it.live("denies nothing of a transaction that waits", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      node.answer("eth_getTransactionByHash", ([hash]) => ({ hash, from, blockHash: null }))
      const proof = yield* sender.prove(claimed)
      assert.deepInclude(proof, {
        verdict: "UNREADABLE",
        reason: "The transaction is in no block yet. Ask again later."
      })
    })
  )

  it.live("proves nothing with a memo, and reads no asset that is not pinned", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      assert.strictEqual((yield* sender.prove({ ...claimed, memo: "1" })).verdict, "NOT_PROVEN")
      assert.strictEqual((yield* sender.prove({ ...claimed, contract: to })).verdict, "UNREADABLE")
      assert.strictEqual((yield* sender.prove({ ...claimed, to: "nobody" })).verdict, "NOT_PROVEN")
    })
  )
})

describe("prove, of a deposit on base that brought its own coin", () => {
  it.live("says nothing of who had it, and proves it for any sender", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({}, "base")
      const deposit = { type: "0x7e", sourceHash: hashOf(3), mint: "0x64", value: "0x64", input: "0x", to }
      const says = blockOf([{ tx: { ...deposit, from }, receipt: { gasUsed: quantity(21_000), depositNonce: "0x1" } }])
      serve(node, says)
      node.answer("eth_getTransactionReceipt", () => ({ ...says.receipts[0], from, effectiveGasPrice: "0x0" }))
      node.answer("eth_getTransactionByHash", () => says.block.transactions[0])
      const claimed = { txHash: hashOf(0xa000), contract: null, units: 100n, to, memo: null }
      const verdict = (senders: ReadonlyArray<string>, units = 100n) =>
        Effect.map(sender.prove({ ...claimed, senders, units }), (proof) => proof.verdict)
      assert.strictEqual(yield* verdict([from]), "UNREADABLE")
      assert.strictEqual(yield* verdict([from], 99n), "NOT_PROVEN")
      assert.strictEqual(yield* verdict([]), "PROVEN")
    })
  )
  it.live("proves what was minted to its sender, also where its call failed, and nothing else of one that failed", () =>
    Effect.gen(function* () {
      for (const status of ["0x1", "0x0"]) {
        const { node, sender } = yield* setup({}, "base")
        // what it should have sent on stays with its sender where it failed
        const value = status === "0x1" ? "0x0" : "0x40"
        const deposit = { type: "0x7e", sourceHash: hashOf(3), mint: "0x64", value, input: "0x", to }
        const receipt = { status, gasUsed: quantity(50_000), depositNonce: "0x1" }
        const says = blockOf([{ tx: { ...deposit, from }, receipt }])
        serve(node, says)
        node.answer("eth_getTransactionReceipt", () => ({ ...says.receipts[0], from, effectiveGasPrice: "0x0" }))
        node.answer("eth_getTransactionByHash", () => says.block.transactions[0])
        const claimed = { txHash: hashOf(0xa000), contract: null, units: 100n, to: from, memo: null, senders: [] }
        assert.strictEqual((yield* sender.prove(claimed)).verdict, "PROVEN", status)
        assert.strictEqual((yield* sender.prove({ ...claimed, senders: [to] })).verdict, "UNREADABLE", status)
        assert.strictEqual((yield* sender.prove({ ...claimed, units: 64n, to })).verdict, "NOT_PROVEN", status)
      }
    })
  )

  it.live("proves what was bridged to the own address once", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({}, "base")
      const deposit = { type: "0x7e", sourceHash: hashOf(3), mint: "0x64", value: "0x64", input: "0x" }
      const receipt = { gasUsed: quantity(21_000), depositNonce: "0x1" }
      const says = blockOf([{ tx: { ...deposit, from, to: from }, receipt }])
      serve(node, says)
      node.answer("eth_getTransactionReceipt", () => ({ ...says.receipts[0], from, effectiveGasPrice: "0x0" }))
      node.answer("eth_getTransactionByHash", () => says.block.transactions[0])
      const claimed = { txHash: hashOf(0xa000), contract: null, to: from, memo: null, senders: [] }
      assert.strictEqual((yield* sender.prove({ ...claimed, units: 100n })).verdict, "PROVEN")
      assert.strictEqual((yield* sender.prove({ ...claimed, units: 200n })).verdict, "NOT_PROVEN")
    })
  )

  it.live("denies what failed and was minted nothing, without traces", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      const says = blockOf([{ tx: { from, to, value: "0x64" }, receipt: { status: "0x0" } }])
      serve(node, says)
      node.answer("eth_getTransactionReceipt", () => ({ ...says.receipts[0], from, effectiveGasPrice: "0x1" }))
      node.answer("eth_getTransactionByHash", () => says.block.transactions[0])
      const claimed = { txHash: hashOf(0xa000), contract: null, units: 100n, to, memo: null, senders: [] }
      assert.deepInclude(yield* sender.prove(claimed), {
        verdict: "NOT_PROVEN",
        reason: "The transaction failed on the chain: it moved nothing."
      })
      assert.strictEqual(node.asked("debug_traceBlockByHash"), 0)
    })
  )
})

describe("prove, of coin that a contract sent in a block whose state the node does not keep", () => {
  it.live("denies nothing, and proves it on a node that keeps the state", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      const contract = addressOf(0xcafe)
      const says = blockOf([
        {
          tx: { from, to: contract },
          trace: { from, to: contract, calls: [{ type: "CALL", from: contract, to, value: "0x9" }] }
        }
      ])
      serve(node, says)
      node.answer("eth_getTransactionReceipt", () => ({ ...says.receipts[0], from, effectiveGasPrice: "0x0" }))
      node.answer("eth_getTransactionByHash", () => says.block.transactions[0])
      const claimed = { txHash: hashOf(0xa000), contract: null, units: 9n, to, senders: [], memo: null }
      node.answer("debug_traceBlockByHash", () => refuse(-32000, "historical state is not available"))
      const lost = yield* sender.prove(claimed)
      assert.strictEqual(lost.verdict, "UNREADABLE")
      assert.include(JSON.stringify(lost, ["reason", "detail"]), "keeps more of the past")
      serve(node, says)
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "PROVEN")
    })
  )
})
