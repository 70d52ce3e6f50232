import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { decodeDraft } from "../../../src/internal/build/Draft.ts"
import { quantity } from "../../support/blocks.ts"
import { refuse } from "../../support/ScriptedNode.ts"
import { from, gwei, payment, setup, signed, to } from "../../support/senderNode.ts"

const bidOf = (bytes: Uint8Array) => {
  const draft = decodeDraft(bytes)
  if (draft._tag === "Failure") throw new Error(draft.failure)
  return draft.success
}

describe("build, its bid", () => {
  it.live("bids twice the base fee and the tip", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      const { bytes, feeMax } = yield* sender.build(payment())
      const { maxFeePerGas, maxPriorityFeePerGas } = bidOf(bytes)
      assert.deepStrictEqual([maxFeePerGas, maxPriorityFeePerGas], [21n * gwei, gwei])
      assert.strictEqual(feeMax, 21_000n * 21n * gwei)
    })
  )

  it.live("bids up to the cap, and refuses above it", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup({ feeCapPerGas: 11n * gwei })
      assert.strictEqual(bidOf((yield* sender.build(payment())).bytes).maxFeePerGas, 11n * gwei)
      const capped = (yield* setup({ feeCapPerGas: 11n * gwei - 1n })).sender
      const error = yield* Effect.flip(capped.build(payment()))
      assert.strictEqual(error._tag === "CannotBuild" ? error.reason : error._tag, "fee_capped")
    })
  )

  const replaced: ReadonlyArray<readonly [string, bigint, bigint]> = [
    ["below what is bid now", 5n * gwei, gwei / 2n],
    ["what is bid now", 21n * gwei, gwei],
    ["above what is bid now", 30n * gwei, 3n * gwei],
    ["of odd numbers", 30n * gwei + 1n, 3n * gwei + 7n],
    ["with no tip", 30n * gwei, 0n]
  ]
  for (const [what, maxFeePerGas, maxPriorityFeePerGas] of replaced) {
    it.live(`raises both fields by a tenth at least over a bid ${what}`, () =>
      Effect.gen(function* () {
        const { sender } = yield* setup()
        const before = signed({ maxFeePerGas, maxPriorityFeePerGas })
        const bid = bidOf((yield* sender.build(payment({ replacing: before.raw }))).bytes)
        assert.isTrue(bid.maxFeePerGas * 10n >= maxFeePerGas * 11n && bid.maxFeePerGas > maxFeePerGas)
        assert.isTrue(bid.maxPriorityFeePerGas * 10n >= maxPriorityFeePerGas * 11n)
        assert.isTrue(bid.maxPriorityFeePerGas > maxPriorityFeePerGas)
        assert.isTrue(bid.maxFeePerGas >= bid.maxPriorityFeePerGas)
        assert.deepStrictEqual([bid.nonce, bid.to, bid.value, bid.data], [5n, to, 1_000n, "0x"])
      })
    )
  }

  it.live("does not raise a bid above the cap", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup({ feeCapPerGas: 32n * gwei })
      const before = signed({ maxFeePerGas: 30n * gwei })
      const error = yield* Effect.flip(sender.build(payment({ replacing: before.raw })))
      assert.strictEqual(error._tag === "CannotBuild" ? error.reason : error._tag, "fee_capped")
    })
  )

  it.live("gives up a payment by a transaction of nothing at the same nonce that bids more", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      const bid = bidOf((yield* sender.build(payment({ payments: [], replacing: signed().raw }))).bytes)
      assert.deepStrictEqual([bid.nonce, bid.to, bid.value, bid.maxFeePerGas], [5n, from, 0n, 33n * gwei])
    })
  )

  it.live("takes a replacement that would pay something else, at another nonce or for another payer, for a bug", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      const strange = [signed({ value: 999n }), signed({ to: from }), signed({ nonce: 6n }), signed({ from: to })]
      for (const { raw } of strange) {
        const exit = yield* Effect.exit(sender.build(payment({ replacing: raw })))
        assert.isTrue(exit._tag === "Failure" && exit.cause.reasons.every((reason) => reason._tag === "Die"))
      }
    })
  )

  it.live("keeps to what gas cost a moment ago, and asks again after that", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({ pricesTtlMs: 600_000 })
      yield* Effect.forEach([1, 2, 3], () => sender.build(payment()))
      assert.strictEqual(node.asked("eth_maxPriorityFeePerGas"), 1)
      const eager = yield* setup({ pricesTtlMs: 0 })
      yield* Effect.forEach([1, 2, 3], () => eager.sender.build(payment()))
      assert.strictEqual(eager.node.asked("eth_maxPriorityFeePerGas"), 3)
    })
  )

  it.live("does without the suggestion of a tip where a node has none", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      node.answer("eth_maxPriorityFeePerGas", () => refuse(-32601, "method not found"))
      node.answer("eth_gasPrice", () => quantity(13n * gwei))
      assert.strictEqual(bidOf((yield* sender.build(payment())).bytes).maxPriorityFeePerGas, 3n * gwei)
    })
  )

  it.live("never offers validators of bsc less than they take", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup({}, "bsc")
      node.answer("eth_maxPriorityFeePerGas", () => "0x0")
      assert.strictEqual(bidOf((yield* sender.build(payment())).bytes).maxPriorityFeePerGas, 50_000_000n)
    })
  )
})
