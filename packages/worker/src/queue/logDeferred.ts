import type { Operation } from "@bursar/core/operation/Operation"
import type { Objection } from "@bursar/core/operation/waits"
import { Effect, Metric } from "effect"

const putOff = Metric.counter("operations_put_off", {
  description: "Times that operations were looked at and not sent, by kind and reason: some need a person",
  incremental: true
})

/** Tells operators that an operation is not sent, and why. What only the configuration can mend is an error. */
export const logDeferred = (
  { id, kind, provider, tenantId }: Operation,
  { detail, reason }: Objection
): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(putOff, { kind, reason }), 1),
    (reason === "provider_not_configured"
      ? Effect.logError("an operation waits")
      : Effect.logWarning("an operation waits")
    ).pipe(Effect.annotateLogs({ tenant: tenantId, operation: id, kind, provider, reason, detail }))
  )
