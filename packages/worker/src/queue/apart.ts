import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import type { Fenced } from "@bursar/core/port/Leadership"
import { Cause, Effect } from "effect"

/**
 * Does something for one of many, such as one tenant: where it fails by a defect, such as a row that somebody has made unreadable, that is told
 * (`job.failed`) with `about`, and the others go on. Undefined where it failed.
 */
export const apart = <A, E, R>(
  about: Readonly<Record<string, string>>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E, R> =>
  Effect.catchDefect(effect, (defect) =>
    Effect.logError("job.failed", Cause.die(defect)).pipe(Effect.annotateLogs(about), Effect.as(undefined))
  )

/**
 * Undefined where the storage fails in something, such as because it is long in reading all that one tenant has: that is told, and what was not
 * written of it comes again.
 */
export const unlessStorageFails = <A, R>(
  effect: Effect.Effect<A, Fenced | StorageError, R>
): Effect.Effect<A | undefined, Fenced, R> =>
  Effect.catchTag(effect, "StorageError", (error) => Effect.as(logStorageError(error), undefined))
