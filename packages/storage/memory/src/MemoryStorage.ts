import { ofKnownKinds } from "@bursar/core/engine/knownKinds"
import { collectReads } from "@bursar/core/engine/Read"
import type { AnyRecord } from "@bursar/core/engine/Records"
import { runBatch } from "@bursar/core/engine/runBatch"
import { alarmShortfalls } from "@bursar/core/ledger/alarmShortfalls"
import { Storage } from "@bursar/core/engine/Storage"
import { TenantUnknown } from "@bursar/core/engine/StorageError"
import { facts, newest, records } from "@bursar/core/records"
import { Effect, Layer } from "effect"
import { load } from "./load.ts"
import { Store } from "./Store.ts"
import { violation, write } from "./write.ts"

/** The kinds that can be kept: the service's own, and of others those that came first under their names. */
const keptKinds = () => {
  const kinds = new Map<string, AnyRecord>(Object.values(records).map((of) => [of.name, of]))
  return {
    isRecord: (of: AnyRecord) => {
      const known = kinds.get(of.name)
      if (known === undefined) kinds.set(of.name, of)
      return known === undefined || known === of
    },
    others: new Set([...Object.values(newest), ...Object.values(facts)])
  }
}

/**
 * Commits in memory. Loading, deciding and writing happen in one go, so commits are serial; each first lets others run,
 * as a commit over a network would, so that commands gather into batches.
 */
export const layer = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const state = yield* Store
    const kept = keptKinds()
    return Storage.of({
      commit: Effect.fnUntraced(function* (tenantId, given, context) {
        yield* Effect.yieldNow
        const tenant = state.tenants.get(tenantId)
        if (tenant === undefined) return yield* new TenantUnknown({ tenantId })
        const commands = ofKnownKinds(given, kept)
        const reads = collectReads(commands.map((command) => command.reads))
        const { replies, writes } = runBatch(commands, reads, load(state, tenant, reads), context)
        const violated = violation(state, tenant, writes, commands.length)
        if (violated !== undefined) return yield* violated
        write(state, tenant, writes)
        yield* alarmShortfalls(tenantId, writes.legs)
        return replies
      })
    })
  })
)
