import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withdrawalsRoot } from "../../../src/internal/read/readWithdrawals.ts"
import { checksummed, type EvmReaderOptions, facts } from "@bursar/evm"
import { addressOf, type BlockSays, blockOf, hashOf, type Json, quantity, serve } from "../../support/blocks.ts"
import { scriptedNode } from "../../support/ScriptedNode.ts"

const payment = (index: number, gwei: bigint) => ({
  index: quantity(70_000_000 + index),
  validatorIndex: quantity(index),
  address: addressOf(0xa0 + index),
  amount: quantity(gwei)
})

const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const listed = [payment(0, 32_000_000_000n), payment(1, 0n), payment(2, 17n)]

const blockWith = (more: Json): BlockSays => {
  const says = blockOf([{}])
  return { ...says, block: { ...says.block, ...more } }
}

const read = Effect.fnUntraced(function* (
  more: Json,
  network: "ethereum" | "bsc" | "base" = "ethereum",
  options: Partial<EvmReaderOptions> = {}
) {
  const node = yield* scriptedNode(network, options)
  const says = blockWith(more)
  serve(node, says)
  return yield* node.chain.block(says.block.hash)
})

describe("what the consensus layer pays in a block", () => {
  it.live("is a transfer from nobody under the hash of the block, where it is coin", () =>
    Effect.gen(function* () {
      const { hash, transfers, unread } = yield* read({ withdrawals: listed, withdrawalsRoot: withdrawalsRoot(listed) })
      assert.isUndefined(unread)
      const paid = { txHash: hash, contract: null, from: null }
      assert.deepStrictEqual(transfers, [
        { ...paid, transferIndex: 5_000_000, to: checksummed(addressOf(0xa0)), units: 32n * 10n ** 18n },
        { ...paid, transferIndex: 5_000_002, to: checksummed(addressOf(0xa2)), units: 17n * 10n ** 9n }
      ])
    })
  )

  it.live("fails the block where it contradicts the header", () =>
    Effect.gen(function* () {
      const root = withdrawalsRoot(listed)
      const [first, ...others] = listed
      const wrong: ReadonlyArray<Json> = [
        { withdrawals: others, withdrawalsRoot: root },
        { withdrawals: [{ ...first, amount: "0x1" }, ...others], withdrawalsRoot: root },
        { withdrawals: [], withdrawalsRoot: root },
        { withdrawalsRoot: root },
        { withdrawals: listed, withdrawalsRoot: emptyRoot },
        { withdrawals: listed },
        { withdrawals: [{ address: "0x" }], withdrawalsRoot: root }
      ]
      for (const more of wrong) {
        const error = yield* Effect.flip(read(more))
        assert.strictEqual(error.reason, "inconsistent", JSON.stringify(more))
      }
    })
  )

  it.live("is nothing before the fork that brought it, and where the list is empty", () =>
    Effect.gen(function* () {
      for (const more of [
        {},
        { withdrawals: null },
        { withdrawals: [] },
        { withdrawals: [], withdrawalsRoot: emptyRoot }
      ])
        assert.deepStrictEqual((yield* read(more)).transfers, [])
      // on base the root is of something else
      const other = yield* read({ withdrawals: [], withdrawalsRoot: hashOf(0xbeef) }, "base")
      assert.deepStrictEqual([other.transfers, other.unread], [[], undefined])
    })
  )

  it.live("is told as unread where nobody has said what it is paid in", () =>
    Effect.gen(function* () {
      const more = { withdrawals: listed, withdrawalsRoot: withdrawalsRoot(listed) }
      const { hash, transfers, unread } = yield* read(more, "bsc")
      assert.deepStrictEqual(transfers, [])
      assert.deepStrictEqual(
        unread?.map(({ gains, txHash }) => [txHash, gains?.[0]]),
        [[hash, { to: checksummed(addressOf(0xa0)), contract: null, units: 32n * 10n ** 18n }]]
      )
      const told = yield* read(more, "bsc", { facts: { ...facts.bsc, withdrawals: "coin" } })
      assert.strictEqual(told.transfers.length, 2)
    })
  )
})
