import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created, idempotencyHeaders } from "../groups/shared.ts"
import { Float } from "../wire/Float.ts"
import { Uuid } from "../wire/Uuid.ts"
import { Adjusted, AdjustFloat, OperatorAdjustment, OperatorAdjustmentList, RejectAdjustment } from "./OperatorFloat.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byAnother, byGrant } from "./Consent.ts"

const params = { tenant_id: Uuid }
const adjustmentParams = { tenant_id: Uuid, adjustment_id: Uuid }

/** The floats of tenants, and corrections of them. */
export class FloatsGroup extends HttpApiGroup.make("floats")
  .add(
    HttpApiEndpoint.get("show", "/tenants/:tenant_id/float", {
      params,
      success: Float,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read a float", "The balance of every currency, as the tenant sees it.", ["not_found"])
    ),
    HttpApiEndpoint.post("adjust", "/tenants/:tenant_id/float-adjustments", {
      params,
      headers: idempotencyHeaders,
      payload: AdjustFloat,
      success: Adjusted.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Adjust a float",
          "Books an ADJUSTMENT that shows in the tenant's register and statement. With `from`, the float does not change: the adjustment records that value moved between places, such as from the payout wallet to the custodian. It cannot take what the place does not have, or what an operation in flight needs. If the adjustments of 24 hours reach `adjustment_review_usd`, or if the value in US dollars is unknown, it is only proposed, and another operator approves it. With an `Idempotency-Key`, it is made only once.",
          [
            "not_found",
            "unsupported_asset",
            "amount_invalid",
            "amount_too_precise",
            "insufficient_balance",
            "invalid_request",
            "idempotency_in_flight",
            "idempotency_key_invalid",
            "idempotency_key_reused",
            "grant_required"
          ]
        )
      )
      .annotate(ConsentNeeded, byGrant("adjustment")),
    HttpApiEndpoint.get("adjustments", "/tenants/:tenant_id/float-adjustments", {
      params,
      success: OperatorAdjustmentList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List proposed adjustments", "All of a tenant, in any state.", ["not_found"])),
    HttpApiEndpoint.post("approve", "/tenants/:tenant_id/float-adjustments/:adjustment_id/approve", {
      params: adjustmentParams,
      success: Adjusted,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Approve an adjustment",
          "Needs another operator than the one who proposed it. Books the adjustment.",
          ["not_found", "state_conflict", "insufficient_balance", "grant_required"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byAnother("adjustment")),
    HttpApiEndpoint.post("reject", "/tenants/:tenant_id/float-adjustments/:adjustment_id/reject", {
      params: adjustmentParams,
      payload: RejectAdjustment,
      success: OperatorAdjustment,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Reject an adjustment", "The operator who proposed it can also withdraw it. Nothing is booked.", [
        "not_found",
        "state_conflict"
      ])
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Floats", description: "Balances of tenants and adjustments." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
