import { collectReads } from "@bursar/core/engine/Read"
import { runBatch } from "@bursar/core/engine/runBatch"
import { alarmShortfalls } from "@bursar/core/ledger/alarmShortfalls"
import { Storage } from "@bursar/core/engine/Storage"
import { StorageError, TenantUnknown } from "@bursar/core/engine/StorageError"
import { Effect, Layer } from "effect"
import { load } from "./load.ts"
import { Store } from "./Store.ts"
import { violation, write } from "./write.ts"

/**
 * Commits in memory. Loading, deciding and writing happen in one go, so commits are serial; each first lets others run,
 * as a commit over a network would, so that commands gather into batches.
 */
export const layer = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const state = yield* Store
    return Storage.of({
      commit: Effect.fnUntraced(function* (tenantId, commands, context) {
        yield* Effect.yieldNow
        const tenant = state.tenants.get(tenantId)
        if (tenant === undefined) return yield* new TenantUnknown({ tenantId })
        const reads = collectReads(commands.map((command) => command.reads))
        const { replies, writes } = runBatch(commands, reads, load(state, tenant, reads), context)
        const violated = violation(state, tenant, writes)
        if (violated !== undefined) return yield* new StorageError({ doing: "commit", cause: new Error(violated) })
        write(state, tenant, writes)
        yield* alarmShortfalls(tenantId, writes.legs)
        return replies
      })
    })
  })
)
