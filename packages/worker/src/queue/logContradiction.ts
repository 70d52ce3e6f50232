import type { Operation } from "@bursar/core/operation/Operation"
import { Effect } from "effect"

const nothing: Effect.Effect<void> = Effect.void

/**
 * Logs, the first time and where it says that of the operation's own order at last, that the provider of an operation that is over says something else
 * than what is booked (`operation.contradicted`), and that this was taken back, because it was said of another operation's order
 * (`operation.contradiction_withdrawn`).
 */
export const logContradiction = (before: Operation, after: Operation | undefined): Effect.Effect<void> => {
  if (after === undefined) return nothing
  const [had, has] = [before.details.contradiction, after.details.contradiction]
  if (had?.said === has?.said) return nothing
  const log =
    has === undefined
      ? Effect.annotateLogs(Effect.logInfo("operation.contradiction_withdrawn"), { said: had?.said })
      : Effect.logError("operation.contradicted")
  return Effect.annotateLogs(log, { operation: after.id, kind: after.kind, status: after.status })
}
