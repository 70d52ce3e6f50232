import { StorageError } from "@bursar/core/engine/StorageError"
import type { Cause } from "effect"
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * Names what was tried in the failure of a database call. A session that is lost within a transaction fails its
 * rollback too, which arrives here as a defect: that is the same failure.
 */
export const attempt =
  (doing: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    Effect.catchCause(effect, (cause): Effect.Effect<never, Exclude<E, SqlError> | StorageError> => {
      for (const reason of cause.reasons) {
        const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
        if (isSqlError(error)) return Effect.fail(new StorageError({ doing, cause: error }))
      }
      return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError>>) // none of its reasons is a SqlError
    })
