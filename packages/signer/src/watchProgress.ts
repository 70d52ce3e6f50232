import { logStorageError } from "@bursar/core/engine/StorageError"
import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Schedule } from "effect"
import { stopFor } from "./rollback.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import { isBehind, tenantsBehind } from "./whatIsLost.ts"

/** How often it is written how far tenants have come. */
const lookEvery = "10 minutes"

/** The tenants of one entry at most. */
const tenantsMax = 1_000

/**
 * A look at how far all tenants have come, which the store remembers of each that moved: a signature tells it of its own tenant alone, and most of what
 * happens is none. Where one is behind what was seen of it, nothing is signed any more.
 */
export const makeProgressLook = (store: SignerStore): Effect.Effect<void, never, SigningView> => {
  const { register } = store
  const written = new Map<string, TenantProgress>(register.progressOfAll())
  const hasMoved = ([tenantId, now]: readonly [TenantId, TenantProgress]) => {
    const before = written.get(tenantId)
    return before === undefined || isBehind(before, now)
  }
  return Effect.gen(function* () {
    if (register.rolledBack() !== undefined) return
    const [behind] = yield* tenantsBehind(store)
    if (behind !== undefined) return yield* stopFor(store, { tenantId: behind.tenantId })
    const moved = [...(yield* (yield* SigningView).progressOfAll)].filter(hasMoved)
    const at = yield* Clock.currentTimeMillis
    for (let from = 0; from < moved.length; from += tenantsMax) {
      const some = moved.slice(from, from + tenantsMax)
      yield* store.commit({ _tag: "Seen", at, tenants: some.map(([tenantId, now]) => ({ tenantId, ...now })) })
      for (const [tenantId, now] of some) written.set(tenantId, now)
    }
  }).pipe(
    Effect.catchTags({
      StorageError: logStorageError,
      // the next signature says the same, and to whom it matters
      StoreUnusable: () => Effect.void
    })
  )
}

/** Looks at how far tenants have come until it is interrupted. */
export const watchProgress = (store: SignerStore): Effect.Effect<never, never, SigningView> =>
  makeProgressLook(store).pipe(Effect.repeat(Schedule.spaced(lookEvery)), Effect.andThen(Effect.never))
