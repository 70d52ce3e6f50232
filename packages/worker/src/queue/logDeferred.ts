import type { Operation } from "@bursar/core/operation/Operation"
import type { Objection } from "@bursar/core/operation/waits"
import { Effect, Metric } from "effect"
import { tellUnreviewed } from "./tellUnreviewed.ts"

const deferred = Metric.counter("operations_deferred", {
  description: "Times that an operation was not sent yet, by kind and reason",
  incremental: true
})

/** Tells operators that an operation is not sent, and why. What only the configuration can mend, or somebody has tampered with, is an error. */
export const logDeferred = (
  { id, kind, provider, tenantId }: Operation,
  { detail, reason }: Objection
): Effect.Effect<void> =>
  Effect.all(
    [
      tellUnreviewed({ tenantId, operationId: id, kind }, { detail, reason }),
      Metric.update(Metric.withAttributes(deferred, { kind, reason }), 1),
      (reason === "provider_not_configured" || reason === "other_environment" || reason === "not_granted"
        ? Effect.logError("operation.deferred")
        : Effect.logWarning("operation.deferred")
      ).pipe(Effect.annotateLogs({ tenant: tenantId, operation: id, kind, provider, reason, detail }))
    ],
    { discard: true }
  )
