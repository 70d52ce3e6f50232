import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Limits } from "../Limits.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import {
  CancelledOperation,
  CloseContradiction,
  OperatorOperationDetail,
  OperatorOperationPage,
  RejectResolution,
  ResolveOperation
} from "./OperatorOperation.ts"
import { operationFilters } from "./operationFilters.ts"
import { AttachEvidence } from "./OperatorPayout.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byAnother } from "./Consent.ts"

const params = { tenant_id: Uuid, operation_id: Uuid }
const resolutionParams = { ...params, resolution_id: Uuid }

/** Operations of every kind and tenant: what waits, what is unresolved, and what operators do about it. */
export class OperationsGroup extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.get("list", "/operations", {
      query: {
        ...operationFilters,
        cursor: Schema.optionalKey(text(Limits.cursorLengthMax)),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: OperatorOperationPage,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List operations",
        "Operations of every kind, of one tenant or of all. Newest first, unless `order` is `oldest`. `unresolved=true` lists those that need attention. `created_after` is inclusive, `created_before` exclusive. A cursor is good for the same filters and order; those two may change.",
        ["unknown_kind", "unknown_status", "unknown_network", "invalid_cursor", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.get("export", "/operations/export", {
      query: operationFilters,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Export operations",
        "The operations of a list as CSV (RFC 4180), however many there are, written while you read them. A cell never begins a formula. A connection that breaks leaves a file without its last line `end`.",
        ["unknown_kind", "unknown_status", "unknown_network"]
      )
    ),
    HttpApiEndpoint.get("get", "/tenants/:tenant_id/operations/:operation_id", {
      params,
      success: OperatorOperationDetail,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read an operation",
        "Everything about it: what happened and when, its ledger entries, transactions, events, evidence and resolutions.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.post("attachEvidence", "/tenants/:tenant_id/operations/:operation_id/evidence", {
      params,
      payload: AttachEvidence,
      success: OperatorOperationDetail,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Add evidence to an operation",
        "A note, and for a chain payout or a withdrawal optionally a transaction, which the service looks up on the chain. It does not change the status.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("resolve", "/tenants/:tenant_id/operations/:operation_id/resolve", {
      params,
      payload: ResolveOperation,
      success: OperatorOperationDetail,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Propose a resolution",
          "For an operation that was sent to a provider that does not answer. After another operator approves it, the operation ends as if the provider had reported the outcome. Nothing moves before that. Only one proposal can be open at a time.",
          ["not_found", "state_conflict", "unsupported_asset", "amount_invalid", "amount_too_precise"]
        )
      )
      .annotate(ConsentNeeded, byAnother()),
    HttpApiEndpoint.post(
      "approveResolution",
      "/tenants/:tenant_id/operations/:operation_id/resolutions/:resolution_id/approve",
      { params: resolutionParams, success: OperatorOperationDetail, error: wireErrors }
    )
      .annotateMerge(
        operatorRoute(
          "Approve a resolution",
          "Needs another operator than the one who proposed it. Later answers of the provider are not booked. If they differ, the operation shows it (`contradiction`).",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byAnother()),
    HttpApiEndpoint.post(
      "rejectResolution",
      "/tenants/:tenant_id/operations/:operation_id/resolutions/:resolution_id/reject",
      { params: resolutionParams, payload: RejectResolution, success: OperatorOperationDetail, error: wireErrors }
    ).annotateMerge(
      operatorRoute("Reject a resolution", "The operator who proposed it can also withdraw it. Nothing moves.", [
        "not_found",
        "state_conflict"
      ])
    ),
    HttpApiEndpoint.post("closeContradiction", "/tenants/:tenant_id/operations/:operation_id/contradiction/close", {
      params,
      payload: CloseContradiction,
      success: OperatorOperationDetail,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Close a contradiction",
        "Says that what contradicts an operation is dealt with. It is kept with who, when and why, and nothing moves. It closes what you were shown, and is refused if something else is said by now, or the operation has got another status or was resolved again. If the provider says more later, the operation is contradicted again.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("cancel", "/tenants/:tenant_id/operations/:operation_id/cancel", {
      params,
      success: CancelledOperation,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Cancel an operation",
        "An operation that was not sent fails with `cancelled_by_operator`, and its hold is released. For a signed chain payout, a replacement is broadcast, and the chain includes one of the two.",
        ["not_found", "state_conflict"]
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Operations",
      description:
        "Operations of every kind and tenant: what waits, what is unresolved, and what operators do about it."
    })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
