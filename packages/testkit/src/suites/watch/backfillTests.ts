import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { WatchState } from "@bursar/core/store/WatchState"
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
        const unread = { tenantId: tenant.id, network: "ethereum", nextBlock: null, lastBlock: null } as const
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
    "as many backfills are given as asked for, oldest first",
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
        const ages = all.map(({ createdAt }) => createdAt)
        assert.deepStrictEqual(
          ages,
          [...ages].toSorted((left, right) => left - right)
        )
      }),
    timeoutMs
  )
}
