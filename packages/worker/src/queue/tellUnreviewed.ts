import type { OperationKind } from "@bursar/core/operation/OperationKind"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Metric } from "effect"

const unreviewed = Metric.counter("reviews_not_granted", {
  description:
    "Times that an operation was about to leave that takes a review and that no grant approves as it is, by kind",
  incremental: true
})

/** Whose it is. */
interface Owned {
  readonly tenantId: TenantId
  readonly operationId: string
  readonly kind: OperationKind
}

/**
 * Raises the alarm where something was about to leave that takes a review and that no grant approves as it is: somebody may have written that it
 * was approved, or changed it since. Says nothing of any other reason.
 */
export const tellUnreviewed = (
  { kind, operationId, tenantId }: Owned,
  { detail, reason }: { readonly detail: string; readonly reason: string }
): Effect.Effect<void> =>
  reason === "review_not_granted"
    ? Effect.andThen(
        Metric.update(Metric.withAttributes(unreviewed, { kind }), 1),
        Effect.logError("review.not_granted").pipe(
          Effect.annotateLogs({ tenant: tenantId, operation: operationId, kind, detail })
        )
      )
    : Effect.void
