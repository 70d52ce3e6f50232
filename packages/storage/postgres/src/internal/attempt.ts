import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Predicate, type Cause } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** Codes with which a server says that it has rolled back; with others it goes away, maybe after it has committed. */
const rolledBack = /^(?:(?!08|57P|58)\d|P0)/u

/** Whether what failed may have been carried out all the same: the answer was lost, not the way to the server. */
const mayBeDone = ({ reason }: SqlError): boolean => {
  if (reason._tag !== "ConnectionError" && reason._tag !== "UnknownError") return false
  const { cause, operation } = reason
  // no session was to be had; or the server has answered to COMMIT that it rolled back
  if (operation === "connect" || operation === "commit") return false
  return !(Predicate.hasProperty(cause, "code") && typeof cause.code === "string" && rolledBack.test(cause.code))
}

const naming =
  (doing: string, changes: boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    Effect.catchCause(effect, (cause): Effect.Effect<never, Exclude<E, SqlError> | StorageError> => {
      for (const reason of cause.reasons) {
        const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
        if (isSqlError(error)) {
          const isUnknown = changes && mayBeDone(error)
          return Effect.fail(
            new StorageError({ doing, cause: error, ...(isUnknown && { outcome: "unknown" as const }) })
          )
        }
      }
      return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError>>) // none of its reasons is a SqlError
    })

/**
 * Names what was tried in the failure of a database call that changes nothing, or of which it is known otherwise whether it did. A session that
 * is lost within a transaction fails its rollback too, which arrives here as a defect: that is the same failure.
 */
export const attempt = (doing: string) => naming(doing, false)

/** As {@link attempt}, for what changes something: where its answer is lost, the failure says that the outcome is unknown. */
export const attemptChange = (doing: string) => naming(doing, true)
