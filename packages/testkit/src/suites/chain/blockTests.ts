import type { Block, Memo, Transfer } from "@bursar/core/port/Chain"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type ChainFeature, ChainWorld } from "./ChainWorld.ts"

/** The transfers of a block to an address. */
export const transfersTo = (block: Block, to: string): ReadonlyArray<Transfer> =>
  block.transfers.filter((transfer) => transfer.to === to)

/** What makes a transfer itself, whichever block it is in. */
export const identityOf = ({ contract, transferIndex, txHash }: Transfer): string =>
  JSON.stringify([txHash, contract, transferIndex])

/** A number of units that no other test sends. */
const units = 1_234_567n

/** What a block holds. */
export const blockTests = (it: SuiteIt<ChainWorld>, timeoutMs: number, has: ReadonlyArray<ChainFeature>): void => {
  it.effect(
    "reads a block whose header it has given",
    () =>
      Effect.gen(function* () {
        const { reader } = yield* ChainWorld
        const { latest } = yield* reader.tip
        const { transfers: _, ...header } = yield* reader.block(latest.hash)
        assert.deepStrictEqual(header, latest)
      }),
    timeoutMs
  )

  it.effect(
    "calls a block absent that nobody has mined, and a hash that is none",
    () =>
      Effect.gen(function* () {
        const { reader, unknownHash } = yield* ChainWorld
        for (const hash of [unknownHash, "no hash"]) {
          assert.strictEqual((yield* Effect.flip(reader.block(hash))).reason, "absent")
        }
      }),
    timeoutMs
  )

  it.effect(
    "finds coin that was sent, once and exactly",
    () =>
      Effect.gen(function* () {
        const { address, large, reader, send } = yield* ChainWorld
        for (const amount of [units, large.coin]) {
          const to = yield* address
          const { blockHash, from, txHash } = yield* send(to, amount, null)
          const found = transfersTo(yield* reader.block(blockHash), to)
          assert.deepStrictEqual(
            found.map((transfer) => [transfer.txHash, transfer.contract, transfer.units, transfer.from]),
            [[txHash, null, amount, from]]
          )
        }
      }),
    timeoutMs
  )

  it.effect(
    "reads a block the same every time",
    () =>
      Effect.gen(function* () {
        const { address, reader, send } = yield* ChainWorld
        const { blockHash } = yield* send(yield* address, units, null)
        assert.deepStrictEqual(yield* reader.block(blockHash), yield* reader.block(blockHash))
      }),
    timeoutMs
  )

  it.effect(
    "counts a block once the confirmations it asks for are there, and not before it is final",
    () =>
      Effect.gen(function* () {
        const { address, finalAfter, mine, reader, send } = yield* ChainWorld
        const { blockHash } = yield* send(yield* address, units, null)
        const { number } = yield* reader.block(blockHash)
        if (finalAfter > 1) yield* mine(finalAfter - 1)
        if (finalAfter > 0) assert.isBelow((yield* reader.tip).confirmed, number)
        yield* mine(reader.requiredConfirmations)
        assert.isAtLeast((yield* reader.tip).confirmed, number)
      }),
    timeoutMs
  )

  if (has.includes("token")) {
    it.effect(
      "finds tokens that were sent, by their pinned contract",
      () =>
        Effect.gen(function* () {
          const { address, anotherToken, large, reader, send, token } = yield* ChainWorld
          const others = anotherToken === null ? [] : [[anotherToken, units] as const]
          for (const [contract, amount] of [[token, units], [token, large.token], ...others] as const) {
            const to = yield* address
            const { blockHash, from, txHash } = yield* send(to, amount, contract)
            const found = transfersTo(yield* reader.block(blockHash), to)
            assert.deepStrictEqual(
              found.map((transfer) => [transfer.txHash, transfer.contract, transfer.units, transfer.from]),
              [[txHash, contract, amount, from]]
            )
          }
        }),
      timeoutMs
    )
  }

  if (has.includes("token")) {
    it.effect(
      "takes no other contract for a pinned one, and a transfer that failed for none",
      () =>
        Effect.gen(function* () {
          const { address, reader, sendFailing, sendOther } = yield* ChainWorld
          const to = yield* address
          for (const { blockHash } of [yield* sendOther(to, units), yield* sendFailing(to)])
            assert.deepStrictEqual(transfersTo(yield* reader.block(blockHash), to), [])
        }),
      timeoutMs
    )
  }

  if (has.includes("memo")) {
    it.effect(
      "reads a memo with its type, and none where none was written",
      () =>
        Effect.gen(function* () {
          const { address, reader, send, sendWithMemo } = yield* ChainWorld
          const to = yield* address
          const memoIn = (blockHash: string) =>
            Effect.map(reader.block(blockHash), (block) => transfersTo(block, to).map(({ memo }) => memo))
          const memos: ReadonlyArray<Memo> = [
            { type: "text", value: "7" },
            { type: "id", value: "7" }
          ]
          for (const memo of memos)
            assert.deepStrictEqual(yield* memoIn((yield* sendWithMemo(to, units, memo)).blockHash), [memo])
          assert.deepStrictEqual(yield* memoIn((yield* send(to, units, null)).blockHash), [null])
        }),
      timeoutMs
    )
  }

  for (const [feature, asset] of [
    ["sendTwice", "coin"],
    ["tokenTwice", "a token"]
  ] as const) {
    if (!has.includes(feature)) continue
    it.effect(
      `tells the transfers of ${asset} in one transaction to one address apart`,
      () =>
        Effect.gen(function* () {
          const { address, reader, sendMany, token } = yield* ChainWorld
          const to = yield* address
          const contract = asset === "coin" ? null : token
          const amounts = [units, units + 1n, units]
          const { blockHash, txHash } = yield* sendMany(to, amounts, contract)
          const found = transfersTo(yield* reader.block(blockHash), to)
          assert.deepStrictEqual(
            found.map((transfer) => [transfer.txHash, transfer.contract, transfer.units]),
            amounts.map((amount) => [txHash, contract, amount])
          )
          assert.strictEqual(new Set(found.map(identityOf)).size, amounts.length)
        }),
      timeoutMs
    )
  }

  it.effect(
    "gives every transfer of a block an identity of its own, and no empty ones",
    () =>
      Effect.gen(function* () {
        const { address, reader, send } = yield* ChainWorld
        const { blockHash } = yield* send(yield* address, units, null)
        const { transfers } = yield* reader.block(blockHash)
        assert.isNotEmpty(transfers)
        assert.strictEqual(new Set(transfers.map(identityOf)).size, transfers.length)
        for (const transfer of transfers) {
          assert.isTrue(transfer.units > 0n)
          assert.isTrue(Number.isSafeInteger(transfer.transferIndex) && transfer.transferIndex >= 0)
        }
      }),
    timeoutMs
  )
}
