import type { ApiError } from "@bursar/api/errors/ApiError"
import { reviewValues } from "@bursar/core/grant/reviewByGrants"
import type { Operation } from "@bursar/core/operation/Operation"
import { awaitsReview } from "@bursar/core/operation/Review"
import { Effect } from "effect"
import { aloneHere } from "../grants/alone.ts"

/**
 * Refuses the approval of an operation by one operator where the service goes by grants (`grant_required`): what was held is let go by those who
 * approve its grant. What awaits no review is for the command to refuse.
 */
export const approvalByGrants = Effect.map(
  aloneHere,
  ({ refuse }) =>
    (operation: Operation): Effect.Effect<void, ApiError> =>
      awaitsReview(operation)
        ? refuse({ kind: "review", values: reviewValues(operation) }, operation.tenantId)
        : Effect.void
)
