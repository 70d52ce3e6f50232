import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Uuid } from "../wire/Uuid.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { OperatorReview, OperatorReviewList, RejectReview } from "./OperatorReview.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byAnother } from "./Consent.ts"

const params = { tenant_id: Uuid, operation_id: Uuid }

/** The queue of reviews of money that goes out, of whatever kind, and the word of operators on it. */
export class ReviewsGroup extends HttpApiGroup.make("reviews")
  .add(
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/reviews", {
      params: { tenant_id: Uuid },
      success: OperatorReviewList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List reviews",
        "Chain payouts, bank transfers, refunds, withdrawals and swaps that wait for an operator. Newest first, at most 200.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.post("approve", "/tenants/:tenant_id/reviews/:operation_id/approve", {
      params,
      success: OperatorReview,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Approve an operation",
          "Needs another operator than its maker. It is then sent. Where the service goes by grants, it takes a grant of the kind `review` instead.",
          ["not_found", "state_conflict", "grant_required"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byAnother("review")),
    HttpApiEndpoint.post("reject", "/tenants/:tenant_id/reviews/:operation_id/reject", {
      params,
      payload: RejectReview,
      success: OperatorReview,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Reject an operation", "It fails with `review_rejected`, and its hold is released.", [
          "not_found",
          "state_conflict"
        ])
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.post("cancel", "/tenants/:tenant_id/reviews/:operation_id/cancel", {
      params,
      success: OperatorReview,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Cancel an operation in review",
        "It fails with `cancelled_by_operator`, and its hold is released.",
        ["not_found", "state_conflict"]
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Reviews", description: "Money that waits for an operator before it goes out." })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
