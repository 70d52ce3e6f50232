import { collectReads } from "@bursar/core/engine/Read"
import { runBatch } from "@bursar/core/engine/runBatch"
import { Storage } from "@bursar/core/engine/Storage"
import { TenantUnknown } from "@bursar/core/engine/StorageError"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { emptyState, layerOver } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { withWriters } from "@bursar/testkit/suites/harness"
import { concurrencyTests } from "@bursar/testkit/suites/storage/concurrencyTests"
import { idempotencyTests } from "@bursar/testkit/suites/storage/idempotencyTests"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Semaphore } from "effect"
import { load } from "../src/load.ts"
import { changing } from "../src/Store.ts"
import { violation, write } from "../src/write.ts"

/** Commits that exclude each other within one process alone: between two processes they lose each other's money. */
const wrongOver = (state: ReturnType<typeof emptyState>) =>
  Layer.fresh(
    Layer.effect(
      Storage,
      Effect.map(Semaphore.make(1), (turn) =>
        Storage.of({
          commit: (tenantId, commands, context) =>
            turn.withPermit(
              Effect.gen(function* () {
                const tenant = state.tenants.get(tenantId)
                if (tenant === undefined) return yield* new TenantUnknown({ tenantId })
                const reads = collectReads(commands.map((command) => command.reads))
                const { replies, writes } = runBatch(commands, reads, load(state, tenant, reads), context)
                yield* Effect.yieldNow
                const violated = violation(state, tenant, writes, commands.length)
                if (violated !== undefined) return yield* violated
                write(state, tenant, writes)
                return replies
              })
            )
        })
      )
    )
  ).pipe(Layer.provideMerge(layerOver(state)))

type Loaded = ReturnType<typeof load>

interface Wrong {
  /** What a batch decides on, of what was read before the tenant's lock was there and under it. */
  readonly seen?: (before: Loaded, under: Loaded) => Loaded
  /** Which idempotency records of a tenant are forgotten after a commit, of all from the oldest on. */
  readonly forgets?: (records: ReadonlyArray<IdempotencyRecord>, now: number) => ReadonlyArray<IdempotencyRecord>
}

/** Every record but those that were asked for by their keys as it was before the lock. */
const groupsBefore = (before: Loaded, under: Loaded): Loaded => ({
  ...under,
  records: new Map(
    [...under.records].map(([name, all]) => [
      name,
      name === "AssetReservation" ? (before.records.get(name) ?? all) : all
    ])
  )
})

const wrongs: Readonly<Record<string, readonly [test: string, wrong: Wrong]>> = {
  "reads groups before it takes the tenant's lock": [
    "a limit on what the records of a group add up to is not passed by two processes",
    { seen: groupsBefore }
  ],
  "reads the newest before it takes the tenant's lock": [
    "the number after the newest of a group is given once, though two processes ask for it",
    { seen: (before, under) => ({ ...under, newest: before.newest }) }
  ],
  "reads the tenant before it takes the tenant's lock": [
    "of two that change the tenant itself, each builds on what the other has committed",
    { seen: (before, under) => ({ ...under, head: { ...under.head, tenant: before.head.tenant } }) }
  ],
  "keeps only the newest hundred idempotency records": [
    "a key is never good for a second effect: not after hundreds of others, and not a year later",
    { forgets: (all) => all.slice(0, -100) }
  ],
  "forgets an idempotency record after ten minutes": [
    "a key is never good for a second effect: not after hundreds of others, and not a year later",
    { forgets: (all, now) => all.filter(({ recordedAt }) => recordedAt + 600_000 < now) }
  ]
}

/** A storage that does one thing wrong. */
const doing = (state: ReturnType<typeof emptyState>, { forgets = () => [], seen = (_, under) => under }: Wrong) =>
  Layer.succeed(
    Storage,
    Storage.of({
      commit: Effect.fnUntraced(function* (tenantId, commands, context) {
        const reads = collectReads(commands.map((command) => command.reads))
        const found = state.tenants.get(tenantId)
        if (found === undefined) return yield* new TenantUnknown({ tenantId })
        const before = load(state, found, reads)
        yield* Effect.yieldNow
        yield* Effect.yieldNow
        const tenant = state.tenants.get(tenantId) ?? found
        const { replies, writes } = runBatch(commands, reads, seen(before, load(state, tenant, reads)), context)
        write(state, tenant, writes)
        const kept = changing(tenant, IdempotencyRecord)
        for (const { key } of forgets([...kept.values()], tenant.head.lastAt)) kept.delete(key)
        return replies
      })
    })
  ).pipe(Layer.provideMerge(layerOver(state)))

it.live.each(Object.entries(wrongs))("a storage that %s is refused", ([, [test, wrong]]) =>
  Effect.gen(function* () {
    const state = emptyState()
    const found = yield* failuresOf(withWriters(doing(state, wrong), doing(state, wrong)), (tests) => {
      concurrencyTests(tests, 60_000)
      idempotencyTests(tests, 60_000)
    })
    assert.deepStrictEqual(found, [test])
  })
)

const failures = (alone: boolean) => {
  const state = emptyState()
  const second = alone ? "one process alone" : wrongOver(state)
  return failuresOf(withWriters(wrongOver(state), second), (tests) => concurrencyTests(tests, 60_000))
}

it.live(
  "a storage that excludes its own process alone passes where no other opens it, and is refused where one does",
  () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failures(true), [])
      assert.include(yield* failures(false), "a thousand concurrent adjustments from two processes lose no update")
    })
)
