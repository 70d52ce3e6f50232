import { fenced } from "@bursar/core/engine/fenced"
import type { Network } from "@bursar/core/money/Network"
import type { BlockRef } from "@bursar/core/port/Chain"
import { Writer } from "@bursar/core/engine/Writer"
import { WatchState } from "@bursar/core/store/WatchState"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking } from "../../fixtures/commands.ts"
import { newTenant, past } from "../../fixtures/tenants.ts"
import { takeFence } from "../../fixtures/fences.ts"
import type { WatchStateIt } from "./ports.ts"
import { readFact } from "@bursar/core/engine/Records"
import { networkHeight } from "@bursar/core/address/networkHeight"

const block = (number: number, branch = "a"): BlockRef => ({
  number,
  hash: `0x${branch}${number}`,
  parentHash: `0x${branch}${number - 1}`,
  time: past + number * 1_000 + 1
})

/** The cursor, the blocks that may be replaced, and who may move them. */
export const cursorTests = (it: WatchStateIt, timeoutMs: number): void => {
  it.effect(
    "the cursor moves block by block, back onto a common ancestor, and on along another branch",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const network: Network = "bitcoin"
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        // far above what an earlier run of this suite may have left in a store that is not new
        yield* watch.rewind(fence, network, block(9_999))
        for (let number = 10_000; number <= 10_005; number++)
          yield* watch.advance(fence, network, block(number), 10_001)
        assert.deepStrictEqual(yield* watch.cursor(network), block(10_005))
        const numbers = (from: number) =>
          Effect.map(watch.blocks(network, from), (blocks) => blocks.map(({ hash }) => hash))
        assert.deepStrictEqual(yield* numbers(0), ["0xa10001", "0xa10002", "0xa10003", "0xa10004", "0xa10005"])
        assert.deepStrictEqual(yield* watch.blocks(network, 10_004), [block(10_004), block(10_005)])
        assert.deepStrictEqual(yield* numbers(10_006), [])

        yield* watch.rewind(fence, network, block(10_003))
        assert.deepStrictEqual(yield* watch.cursor(network), block(10_003))
        assert.deepStrictEqual(yield* numbers(10_002), ["0xa10002", "0xa10003"])
        yield* watch.advance(fence, network, block(10_004, "b"), 10_003)
        assert.deepStrictEqual(yield* numbers(0), ["0xa10003", "0xb10004"])
        assert.deepStrictEqual(yield* watch.cursor(network), block(10_004, "b"))

        const tenant = yield* newTenant()
        const height = looking([readFact(networkHeight, network)], (view) => view.fact(networkHeight, network))
        assert.strictEqual(yield* (yield* Writer).submit(tenant.id, height), 10_004)
      }),
    timeoutMs
  )

  it.effect(
    "a status tells the cursor, the node's latest block and what is wrong",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const network: Network = "stellar"
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const status = Effect.map(watch.statuses, (all) => all.filter((one) => one.network === network))
        yield* watch.report(fence, network, {
          latest: null,
          nodes: [],
          problem: "the node does not answer",
          notice: null
        })
        const [before] = yield* status
        assert.deepStrictEqual(
          [before?.latest, before?.problem, before?.notice],
          [null, "the node does not answer", null]
        )
        yield* watch.advance(fence, network, block(20_000), 20_000)
        const nodes = [
          {
            node: "node 1 of 1",
            operator: null,
            isAsked: true,
            calls: 8,
            failed: 1,
            problem: "no answer",
            problemAt: 1_800_000_000_000
          }
        ]
        yield* watch.report(fence, network, { latest: 20_007, nodes, problem: null, notice: "nothing is final" })
        const [after, ...more] = yield* status
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual(
          [after?.cursor, after?.latest, after?.problem, after?.notice, after?.nodes],
          [block(20_000), 20_007, null, "nothing is final", nodes]
        )
        assert.isTrue((after?.updatedAt ?? 0) >= (before?.updatedAt ?? Infinity))
      }),
    timeoutMs
  )

  it.effect(
    "a watcher that has been replaced can write nothing more",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const writer = yield* Writer
        const { id } = yield* newTenant()
        const network: Network = "tron"
        const name = `test-${crypto.randomUUID()}`
        const old = yield* takeFence(name)
        yield* watch.advance(old, network, block(30_000), 30_000)
        const now = yield* takeFence(name)
        const job = {
          id: crypto.randomUUID(),
          tenantId: id,
          network,
          addresses: [],
          fromBlock: null,
          fromTime: past,
          createdAt: past,
          nextBlock: null,
          lastBlock: null,
          dueAt: null,
          failures: 0,
          problem: null,
          ended: null
        }
        const attempts = [
          watch.advance(old, network, block(30_001), 30_000),
          watch.rewind(old, network, block(29_999)),
          watch.report(old, network, { latest: 99_999, nodes: [], problem: "said by a ghost", notice: null }),
          watch.backfillProgress(old, job, 1, 2),
          watch.putOffBackfill(old, job, { dueAt: past, failures: 1, problem: "said by a ghost" })
        ]
        for (const attempt of attempts) assert.strictEqual((yield* Effect.flip(attempt))._tag, "Fenced")
        assert.deepStrictEqual(yield* watch.cursor(network), block(30_000))
        assert.deepStrictEqual(yield* watch.blocks(network, 0), [block(30_000)])
        assert.isFalse((yield* watch.statuses).some(({ problem }) => problem === "said by a ghost"))
        const refusal = yield* Effect.flip(
          writer.submit(
            id,
            fenced(
              old,
              looking([], () => "done")
            )
          )
        )
        assert.deepStrictEqual([refusal._tag, refusal._tag === "Refusal" ? refusal.code : ""], ["Refusal", "fenced"])
        assert.strictEqual(
          yield* writer.submit(
            id,
            fenced(
              now,
              looking([], () => "done")
            )
          ),
          "done"
        )
        yield* watch.advance(now, network, block(30_001), 30_001)
        assert.deepStrictEqual(yield* watch.cursor(network), block(30_001))
      }),
    timeoutMs
  )

  it.effect(
    "a fence that nobody ever held is none",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const fence = { name: `test-${crypto.randomUUID()}`, epoch: 1 }
        assert.strictEqual(
          (yield* Effect.flip(watch.report(fence, "tron", { latest: 1, nodes: [], problem: null, notice: null })))._tag,
          "Fenced"
        )
      }),
    timeoutMs
  )
}
