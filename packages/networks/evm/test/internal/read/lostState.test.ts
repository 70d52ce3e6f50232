import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { addressOf, blockOf, hashOf, type Json, quantity, serve, token, transferLog } from "../../support/blocks.ts"
import { refuse, scriptedNode, type ScriptedNode } from "../../support/ScriptedNode.ts"

interface Lost {
  readonly client: string
  readonly from: string
  readonly method: string
  readonly code: number
  readonly message: string
  /** What of the port it must come to; `partial` where the block is read but for the coin that contracts sent. */
  readonly reason: "absent" | "unreachable" | "partial"
}

// Written by hand, from what nodes answered.
const { answers } = JSON.parse(readFileSync(new URL("../../recorded/lostState.json", import.meta.url), "utf8")) as {
  readonly answers: ReadonlyArray<Lost>
}

const receiver = addressOf(0xaaa1)
const sender = addressOf(0xf00d)
const says = blockOf([
  { tx: { nonce: "0x5" }, trace: { calls: [{ type: "CALL", from: addressOf(0xcafe), to: receiver, value: "0x9" }] } }
])
const block = { number: 7, hash: says.block.hash, parentHash: hashOf(0xb10b), time: 0 }

/** A node that keeps the block and its state: the receiver gets 9, the sender's nonce rises. */
const serveState = (node: ScriptedNode, nonces: Json = { "0x6": "0x5", "0x7": "0x6" }) => {
  serve(node, says)
  node.answer("eth_getBalance", ([address, at]) => quantity(address === receiver && at === "0x7" ? 9 : 0))
  node.answer("eth_call", () => hashOf(0))
  const entry = { type: "call", transactionHash: hashOf(0xa000), blockHash: block.hash }
  const call = { callType: "call", from: sender, to: addressOf(0xcafe), value: "0x0" }
  node.answer("trace_block", () => [
    { ...entry, traceAddress: [], action: call },
    { ...entry, traceAddress: [0], action: { ...call, from: call.to, to: receiver, value: "0x9" } }
  ])
  node.answer("eth_getTransactionCount", ([address, at]) => {
    assert.strictEqual(address, sender)
    return nonces[String(at)]
  })
}

/** The question of the reader in which the method has a part. */
const ask = ({ chain }: ScriptedNode, method: string) =>
  method === "eth_getBalance"
    ? Effect.asVoid(chain.balanceChanges?.(block, [receiver]) ?? Effect.die("it does not compare balances"))
    : Effect.asVoid(chain.block(block.hash))

describe("a node that does not keep the state of a block", () => {
  for (const { client, code, message, method, reason } of answers)
    it.live(`${client} to ${method}: fails the question as ${reason} and nothing else, and is asked again`, () =>
      Effect.gen(function* () {
        const node = yield* scriptedNode("ethereum", { contracts: [token] })
        serveState(node)
        if (method === "trace_block") node.answer("debug_traceBlockByHash", () => refuse(-32601, "method not found"))
        node.answer(method, () => refuse(code, message))
        if (reason === "partial") {
          const { isStateGone, unread = [] } = yield* node.chain.block(block.hash)
          assert.isTrue(isStateGone)
          assert.include(unread[0]?.reason, message)
        } else {
          const error = yield* Effect.flip(ask(node, method))
          assert.strictEqual(error.reason, reason)
          assert.include(error.detail, message)
        }
        // Nothing was learned from it that keeps the block from being read once the node can.
        serveState(node)
        yield* ask(node, method)
        const { transfers, unread } = yield* node.chain.block(block.hash)
        assert.deepStrictEqual(
          transfers.map(({ to, units }) => [to.toLowerCase(), units]),
          [[receiver, 9n]]
        )
        assert.isUndefined(unread)
      })
    )

  it.live("tells tokens and the coin that transactions send themselves, and that it does not see the rest", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum", { contracts: [token] })
      const mixed = blockOf([
        {
          tx: { value: quantity(4), to: receiver },
          logs: [transferLog(sender, receiver, 5n)],
          trace: { calls: [{ type: "CALL", from: addressOf(0xcafe), to: receiver, value: "0x9" }] }
        }
      ])
      serve(node, mixed)
      node.answer("debug_traceBlockByHash", () => refuse(-32000, "historical state is not available"))
      const { isStateGone, transfers, unread, unseen } = yield* node.chain.block(mixed.block.hash)
      assert.deepStrictEqual(
        transfers.map(({ contract, units }) => [contract === null, units]),
        [
          [false, 5n],
          [true, 4n]
        ]
      )
      assert.isTrue(isStateGone)
      assert.deepStrictEqual(
        unread?.map(({ gains, txHash }) => [txHash, gains]),
        [[mixed.block.hash, null]]
      )
      assert.include(unseen, "coin that contracts sent")
    })
  )

  it.live("is asked for no state where no contract can have sent coin", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum", { contracts: [token] })
      const plain = blockOf([{ tx: { value: quantity(4), input: "0x" }, receipt: { gasUsed: quantity(21_000) } }])
      serve(node, plain)
      node.answer("debug_traceBlockByHash", () => refuse(-32000, "historical state is not available"))
      const { isStateGone, unread } = yield* node.chain.block(plain.block.hash)
      assert.isUndefined(isStateGone)
      assert.isUndefined(unread)
    })
  )

  it.live("is not believed where it answers for it with another state, as its sender's nonce shows", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum", { contracts: [token] })
      serveState(node)
      const { balanceChanges } = node.chain
      assert.isDefined(balanceChanges)
      assert.deepStrictEqual(
        (yield* balanceChanges(block, [receiver])).map(({ units }) => units),
        [9n]
      )
      // The newest state for both, and no state at all.
      for (const nonce of ["0x9", "0x0"]) {
        serveState(node, { "0x6": nonce, "0x7": nonce })
        const error = yield* Effect.flip(balanceChanges(block, [receiver]))
        assert.strictEqual(error.reason, "inconsistent")
        assert.include(error.detail, "does not know the state")
      }
    })
  )
})
