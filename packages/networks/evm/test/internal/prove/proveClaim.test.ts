import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashOf } from "../../support/blocks.ts"
import { from, setup, to } from "../../support/senderNode.ts"

describe("prove, without traces or history", () => {
  const claimed = { txHash: hashOf(0xabc), contract: null, units: 1n, to, senders: [], memo: null }

  it.live("says nothing of a transaction that the node does not know, unless it has the whole history", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
      const whole = (yield* setup({ wholeHistory: true })).sender
      assert.strictEqual((yield* whole.prove(claimed)).verdict, "NOT_PROVEN")
    })
  )

  it.live("says that a transaction waits", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      node.answer("eth_getTransactionByHash", ([hash]) => ({ hash, from, blockHash: null }))
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "NOT_PROVEN")
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
