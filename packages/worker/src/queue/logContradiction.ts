import type { Operation } from "@bursar/core/operation/Operation"
import { Effect } from "effect"

/** Logs, the first time, that the provider of an operation that is over says something else than what is booked. */
export const logContradiction = (before: Operation, after: Operation | undefined): Effect.Effect<void> =>
  after?.details.contradiction === undefined || before.details.contradiction !== undefined
    ? Effect.void
    : Effect.annotateLogs(Effect.logError("operation.contradicted"), {
        operation: after.id,
        kind: after.kind,
        status: after.status
      })
