import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { SigningView } from "@bursar/core/port/SigningView"
import { Effect } from "effect"
import { defectAsFailure } from "./defectAsFailure.ts"
import { stopFor } from "./rollback.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import { tenantsBehind } from "./whatIsLost.ts"

/** How often it is written how far tenants have come. */
const lookEvery = "10 minutes"

/** When a look is repeated for which the database did not answer: it may be being restored. */
const retryAfter = "5 seconds"

/**
 * A look at how far all tenants have come, which the store remembers: a signature tells it of its own tenant alone, and most of what
 * happens is none. Where one is behind what was seen of it, nothing is signed any more.
 */
export const makeProgressLook = (store: SignerStore): Effect.Effect<void, StorageError, SigningView> =>
  Effect.gen(function* () {
    if (store.register.rolledBack() !== undefined) return
    const [behind] = yield* tenantsBehind(store)
    if (behind !== undefined) return yield* stopFor(store, { tenantId: behind.tenantId })
    yield* store.see(yield* (yield* SigningView).progressOfAll)
  }).pipe(
    Effect.catchTag("StoreUnusable", ({ reason }) =>
      Effect.annotateLogs(Effect.logWarning("signer.seen_unkept"), { reason })
    )
  )

/** Looks at how far tenants have come until it is interrupted. */
export const watchProgress = (store: SignerStore): Effect.Effect<never, never, SigningView> =>
  defectAsFailure(makeProgressLook(store)).pipe(
    Effect.matchEffect({
      onSuccess: () => Effect.sleep(lookEvery),
      onFailure: (error) => Effect.andThen(logStorageError(error), Effect.sleep(retryAfter))
    }),
    Effect.forever
  )
