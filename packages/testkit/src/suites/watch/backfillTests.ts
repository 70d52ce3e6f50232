import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { type BackfillJob, WatchState } from "@bursar/core/store/WatchState"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { addressItem, newEvmAddress } from "../../fixtures/deposits.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { takeFence } from "../../fixtures/fences.ts"
import type { WatchStateIt } from "./ports.ts"

/** Jobs to read the past. */
export const backfillTests = (it: WatchStateIt, timeoutMs: number): void => {
  it.effect(
    "a backfill is there from its registration until it has been read to its end",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const tenant = yield* newTenant({ createdAt: past })
        const [byBlock, byTime, none] = Array.from({ length: 3 }, newEvmAddress) as [string, string, string]
        yield* commitAt(tenant.id, past, registerAddresses([addressItem(byBlock, { watchFromBlock: 9_000_000_000 })]))
        yield* commitAt(
          tenant.id,
          past + 1,
          registerAddresses([addressItem(byTime, { watchFrom: past - 5 }), addressItem(none)])
        )
        yield* commitAt(
          tenant.id,
          past + 2,
          registerAddresses([addressItem(newEvmAddress(), { network: "bsc", watchFrom: past })])
        )
        const open = Effect.map(watch.backfills("ethereum", 100_000), (jobs) =>
          jobs.filter(({ tenantId }) => tenantId === tenant.id)
        )

        const [first, second, ...more] = yield* open
        assert.deepStrictEqual(more, [])
        if (first === undefined || second === undefined) return assert.fail("the backfills are missing")
        const unread = {
          tenantId: tenant.id,
          network: "ethereum",
          nextBlock: null,
          lastBlock: null,
          dueAt: null,
          failures: 0,
          problem: null,
          ended: null
        } as const
        assert.deepStrictEqual(first, {
          ...unread,
          id: first.id,
          addresses: [byBlock],
          fromBlock: 9_000_000_000,
          fromTime: past,
          createdAt: past
        })
        assert.deepStrictEqual(second, {
          ...unread,
          id: second.id,
          addresses: [byTime],
          fromBlock: null,
          fromTime: past - 5,
          createdAt: past + 1
        })

        yield* watch.backfillProgress(fence, first, 9_000_000_001, 9_000_000_002)
        assert.deepStrictEqual((yield* open)[0], { ...first, nextBlock: 9_000_000_001, lastBlock: 9_000_000_002 })
        yield* watch.backfillProgress(fence, first, 9_000_000_002, 9_000_000_002)
        assert.strictEqual((yield* open).length, 2)
        yield* watch.backfillProgress(fence, first, 9_000_000_003, 9_000_000_002)
        assert.deepStrictEqual(yield* open, [second])
        yield* watch.backfillProgress(fence, second, 1, 0)
        assert.deepStrictEqual(yield* open, [])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "as many backfills are given as asked for, oldest first, in pages",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const tenant = yield* newTenant({ createdAt: past })
        for (let turn = 0; turn < 3; turn++) {
          yield* commitAt(
            tenant.id,
            past + turn,
            registerAddresses([addressItem(newEvmAddress(), { network: "base", watchFrom: past - turn })])
          )
        }
        const all = yield* watch.backfills("base", 100_000)
        assert.deepStrictEqual(yield* watch.backfills("base", 2), all.slice(0, 2))
        for (const [index, one] of all.entries())
          assert.deepStrictEqual(yield* watch.backfills("base", 2, one), all.slice(index + 1, index + 3))
        const ages = all.map(({ createdAt }) => createdAt)
        assert.deepStrictEqual(
          ages,
          [...ages].toSorted((left, right) => left - right)
        )
      }),
    timeoutMs
  )

  it.effect(
    "due backfills come in turn of their tenants, without those that are put off, of which is kept why",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        for (const [tenant, at] of [
          [one, past],
          [one, past + 1],
          [other, past + 2]
        ] as const)
          yield* commitAt(tenant.id, at, registerAddresses([addressItem(newEvmAddress(), { watchFrom: past - 7 })]))
        const mine = (jobs: ReadonlyArray<BackfillJob>) =>
          jobs.filter(({ tenantId }) => tenantId === one.id || tenantId === other.id)
        const dueAt = (now: number) => Effect.map(watch.dueBackfills("ethereum", now, 100_000), mine)
        const [first, second, third] = mine(yield* watch.backfills("ethereum", 100_000))
        if (first === undefined || second === undefined || third === undefined) return assert.fail("a job is missing")
        assert.deepStrictEqual(yield* dueAt(past + 9), [first, third, second])
        assert.deepStrictEqual(yield* dueAt(past), [first], "another clock may be ahead")
        const failed = { dueAt: past + 20, failures: 1, problem: "the node is down" }
        yield* watch.putOffBackfill(fence, first, failed)
        assert.deepStrictEqual(yield* dueAt(past + 19), [second, third])
        const put = { ...first, ...failed }
        assert.deepStrictEqual(yield* dueAt(past + 20), [second, third, put])
        assert.deepStrictEqual(mine(yield* watch.backfills("ethereum", 100_000)), [put, second, third])
        const stale = yield* Effect.flip(watch.putOffBackfill({ ...fence, epoch: fence.epoch - 1 }, first, failed))
        assert.strictEqual(stale._tag, "Fenced")
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a backfill stands at a block once that could not be read, until it goes on or is ended",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const { id } = yield* newTenant({ createdAt: past })
        // no other test has these
        const block = 8_000_000_000
        const item = addressItem(newEvmAddress(), { network: "bsc", watchFromBlock: block })
        yield* commitAt(id, past, registerAddresses([item]))
        const job = (yield* watch.backfills("bsc", 100_000)).find(({ tenantId }) => tenantId === id)
        if (job === undefined) return assert.fail("the backfill is missing")
        const isStuckAt = (number: number) => watch.isBackfillStuckAt("bsc", number)
        const failed = { dueAt: past + 20, failures: 1, problem: "no receipts" }
        yield* watch.backfillProgress(fence, job, block, block + 9)
        assert.isFalse(yield* isStuckAt(block), "it goes on")
        yield* watch.putOffBackfill(fence, job, failed)
        assert.isTrue(yield* isStuckAt(block))
        assert.isFalse(yield* isStuckAt(block + 1))
        assert.isFalse(yield* watch.isBackfillStuckAt("base", block))
        yield* watch.backfillProgress(fence, job, block + 1, block + 9)
        assert.deepStrictEqual([yield* isStuckAt(block), yield* isStuckAt(block + 1)], [false, true])
        yield* watch.putOffBackfill(fence, job, { ...failed, problem: null })
        assert.isFalse(yield* isStuckAt(block + 1), "it was read since")
        yield* watch.putOffBackfill(fence, job, failed)
        yield* watch.endBackfill({ ...job, nextBlock: block + 1 }, { by: "otto", reason: "none", at: past + 20 })
        assert.isFalse(yield* isStuckAt(block + 1), "it was ended")
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a backfill that an operator ends where it stands is read no more, and is kept with who ended it and why",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const [tenant, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        for (let turn = 0; turn < 3; turn++)
          yield* commitAt(
            tenant.id,
            past + turn,
            registerAddresses([addressItem(newEvmAddress(), { network: "bsc", watchFrom: past - 7 - turn })])
          )
        const mine = Effect.map((jobs: ReadonlyArray<BackfillJob>) =>
          jobs.filter(({ tenantId }) => tenantId === tenant.id)
        )
        const open = mine(watch.backfills("bsc", 100_000))
        const ended = mine(watch.endedBackfills("bsc", 100_000))
        const [stuck, begun, late] = yield* open
        if (stuck === undefined || begun === undefined || late === undefined) return assert.fail("a job is missing")
        yield* watch.backfillProgress(fence, begun, 5, 9)
        const end = { by: "otto", reason: "no node has it", at: past + 20 }
        for (const wrong of [
          { ...begun, nextBlock: null },
          { ...begun, nextBlock: 6 },
          { ...begun, nextBlock: 5, tenantId: other.id },
          { ...stuck, nextBlock: 0 }
        ])
          assert.isUndefined(yield* watch.endBackfill(wrong, end))
        const over = { ...begun, nextBlock: 5, lastBlock: 9, ended: end }
        assert.deepStrictEqual(yield* watch.endBackfill({ ...begun, nextBlock: 5 }, end), over)
        assert.isUndefined(yield* watch.endBackfill({ ...begun, nextBlock: 5 }, { ...end, by: "vera" }))
        const later = { ...end, at: past + 21 }
        assert.deepStrictEqual(yield* watch.endBackfill(stuck, later), { ...stuck, ended: later })
        assert.deepStrictEqual(yield* open, [late])
        assert.deepStrictEqual(yield* mine(watch.dueBackfills("bsc", past + 99, 100_000)), [late])
        assert.deepStrictEqual(yield* ended, [{ ...stuck, ended: later }, over])
        // what a watcher had begun to read of it
        yield* watch.backfillProgress(fence, begun, 7, 9)
        assert.deepStrictEqual((yield* ended)[1], { ...over, nextBlock: 7 })
        assert.deepStrictEqual(yield* mine(watch.endedBackfills("base", 100_000)), [], "of another network")
        yield* watch.backfillProgress(fence, begun, 10, 9)
        assert.deepStrictEqual(yield* ended, [{ ...stuck, ended: later }])
        yield* watch.backfillProgress(fence, late, 10, 9)
        assert.isUndefined(yield* watch.endBackfill({ ...late, nextBlock: 10 }, end), "it is finished")
        return undefined
      }),
    timeoutMs
  )
}
