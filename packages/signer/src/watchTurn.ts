import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import type { HeldTurn } from "@bursar/core/port/SignerTurn"
import { Effect, Schedule } from "effect"
import { defectAsFailure } from "./defectAsFailure.ts"
import { lookForRollback } from "./rollback.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import type { StoreUnusable } from "./store/StoreUnusable.ts"

/** How often it is asked whether the turn was taken again, and a look that failed is repeated. */
const askEvery = "1 second"

/**
 * Looks for a rollback each time that the turn was taken, and not only at the start: a restore or a failover ends the session that holds the lock, and
 * counters of what was restored pass what was seen of them within minutes. Another signer with another store may have had the turn meanwhile: where the
 * database has what it signed, this store is old from then on, and is ended. `isAlone` is false until a look has ended.
 */
export const makeTurnLook = (store: SignerStore, { isHeld, taken }: HeldTurn) => {
  let lookedAt = 0
  const look = Effect.suspend(() => {
    const turn = taken()
    if (turn === lookedAt) return Effect.void
    return Effect.gen(function* () {
      yield* lookForRollback(store)
      const old = yield* store.whyOld
      if (old !== undefined) {
        yield* store.stop(old)
        return yield* old
      }
      lookedAt = turn
    })
  })
  return { look, isAlone: () => isHeld() && taken() === lookedAt }
}

/** Looks each time that the turn was taken again, until it is interrupted. */
export const watchTurn = <R>({ look }: { readonly look: Effect.Effect<void, StorageError | StoreUnusable, R> }) =>
  defectAsFailure(look).pipe(
    Effect.catchTags({
      StorageError: logStorageError,
      // nothing can be signed then, and the next signature says why
      StoreUnusable: () => Effect.void
    }),
    Effect.repeat(Schedule.spaced(askEvery)),
    Effect.andThen(Effect.never)
  )
