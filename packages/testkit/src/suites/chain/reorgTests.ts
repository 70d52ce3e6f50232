import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { identityOf, transfersTo } from "./blockTests.ts"
import { ChainWorld } from "./ChainWorld.ts"

/** Blocks that are replaced by others. */
export const reorgTests = (it: SuiteIt<ChainWorld>, timeoutMs: number): void => {
  it.effect(
    "keeps the identity of a transfer whose transaction is mined again in another block",
    () =>
      Effect.gen(function* () {
        const { address, mine, reader, reorg, send } = yield* ChainWorld
        const to = yield* address
        const before = yield* reader.block((yield* send(to, 77n, null)).blockHash)
        yield* mine(1)
        yield* reorg(2, "kept")
        const { hash } = yield* reader.header(before.number)
        assert.notStrictEqual(hash, before.hash)
        const after = yield* reader.block(hash)
        assert.deepStrictEqual(transfersTo(after, to).map(identityOf), transfersTo(before, to).map(identityOf))
        assert.isNotEmpty(transfersTo(after, to))
      }),
    timeoutMs
  )

  it.effect(
    "keeps the identity of transfers whose transactions are mined again beside others",
    () =>
      Effect.gen(function* () {
        const { address, reader, reorg, send } = yield* ChainWorld
        const receivers = [yield* address, yield* address]
        const before = yield* Effect.forEach(receivers, (to) =>
          Effect.flatMap(send(to, 1_234_567n, null), ({ blockHash }) => reader.block(blockHash))
        )
        yield* reorg(2, "together")
        const after = yield* reader.block((yield* reader.header(before[1]?.number ?? 0)).hash)
        for (const [index, to] of receivers.entries()) {
          const [was, is] = [before[index]?.transfers ?? [], after.transfers].map((all) =>
            all.filter((transfer) => transfer.to === to).map(identityOf)
          )
          assert.deepStrictEqual(is, was)
          assert.lengthOf(is ?? [], 1)
        }
      }),
    timeoutMs
  )

  it.effect(
    "no longer has a transfer whose transaction is gone",
    () =>
      Effect.gen(function* () {
        const { address, reader, reorg, send } = yield* ChainWorld
        const to = yield* address
        const before = yield* reader.block((yield* send(to, 78n, null)).blockHash)
        yield* reorg(1, "dropped")
        const { hash } = yield* reader.header(before.number)
        assert.notStrictEqual(hash, before.hash)
        assert.deepStrictEqual(transfersTo(yield* reader.block(hash), to), [])
      }),
    timeoutMs
  )

  it.effect(
    "gives a block that was replaced as it was, or not at all",
    () =>
      Effect.gen(function* () {
        const { address, reader, reorg, send } = yield* ChainWorld
        const before = yield* reader.block((yield* send(yield* address, 79n, null)).blockHash)
        yield* reorg(1, "kept")
        yield* reader.block(before.hash).pipe(
          Effect.match({
            onFailure: (error) => assert.strictEqual(error._tag, "ChainError"),
            onSuccess: (again) => assert.deepStrictEqual(again, before)
          })
        )
        assert.notStrictEqual((yield* reader.header(before.number)).hash, before.hash)
      }),
    timeoutMs
  )

  it.effect(
    "shows a fork by a parent that is another",
    () =>
      Effect.gen(function* () {
        const { mine, reader, reorg } = yield* ChainWorld
        yield* mine(3)
        const { latest } = yield* reader.tip
        yield* reorg(2, "dropped")
        yield* mine(1)
        const next = yield* reader.header(latest.number + 1)
        assert.notStrictEqual(next.parentHash, latest.hash)
        const common = yield* reader.header(latest.number - 2)
        assert.strictEqual((yield* reader.header(latest.number - 1)).parentHash, common.hash)
      }),
    timeoutMs
  )
}
