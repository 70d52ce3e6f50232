import { collectReads } from "@bursar/core/engine/Read"
import { runBatch } from "@bursar/core/engine/runBatch"
import { Storage } from "@bursar/core/engine/Storage"
import { StorageError, TenantUnknown } from "@bursar/core/engine/StorageError"
import { emptyState, layerOver } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { withWriters } from "@bursar/testkit/suites/harness"
import { concurrencyTests } from "@bursar/testkit/suites/storage/concurrencyTests"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Semaphore } from "effect"
import { load } from "../src/load.ts"
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
                const violated = violation(state, tenant, writes)
                if (violated !== undefined) {
                  return yield* new StorageError({ doing: "commit", cause: new Error(violated) })
                }
                write(state, tenant, writes)
                return replies
              })
            )
        })
      )
    )
  ).pipe(Layer.provideMerge(layerOver(state)))

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
