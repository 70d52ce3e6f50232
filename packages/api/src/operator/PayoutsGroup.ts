import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { listLimits, QueryFlag, queryLimit } from "../wire/QueryParameters.ts"
import { CodeText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import {
  AttachEvidence,
  CancelledPayout,
  CreateWallet,
  OperatorPayout,
  OperatorPayoutList,
  OperatorWallet,
  OperatorWalletList,
  RejectPayout
} from "./OperatorPayout.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byAnother } from "./Consent.ts"

const params = { tenant_id: Uuid }
const payoutParams = { tenant_id: Uuid, payout_id: Uuid }

/** Wallets that tenants are paid from, and their chain payouts: queue of reviews, what is stuck, cancelling. */
export class PayoutsGroup extends HttpApiGroup.make("payouts")
  .add(
    HttpApiEndpoint.post("createWallet", "/tenants/:tenant_id/wallets", {
      params,
      payload: CreateWallet,
      success: OperatorWallet.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Create a wallet",
          "Each network has one payout wallet. On ethereum, bsc and base you can add others (`another`), on stellar channel accounts.",
          [
            "not_found",
            "unknown_network",
            "state_conflict",
            "address_unavailable",
            "provider_unavailable",
            "product_not_enabled"
          ]
        )
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.get("wallets", "/tenants/:tenant_id/wallets", {
      params,
      success: OperatorWalletList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List wallets", "All wallets of the tenant.", ["not_found"])),
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/payouts", {
      params,
      query: {
        status: Schema.optionalKey(CodeText),
        unresolved: Schema.optionalKey(QueryFlag),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: OperatorPayoutList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List payouts", "Newest first. `status=IN_REVIEW` lists the payouts that wait for a review.", [
        "not_found",
        "unknown_status",
        "limit_out_of_range"
      ])
    ),
    HttpApiEndpoint.get("get", "/tenants/:tenant_id/payouts/:payout_id", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read a payout", "Includes its progress, what it waits for, and every signed transaction.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.post("approve", "/tenants/:tenant_id/payouts/:payout_id/approve", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Approve a payout",
          "Needs another operator than its maker. It is then sent. Where the service goes by grants, it takes a grant of the kind `review` instead.",
          ["not_found", "state_conflict", "grant_required"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byAnother("review")),
    HttpApiEndpoint.post("reject", "/tenants/:tenant_id/payouts/:payout_id/reject", {
      params: payoutParams,
      payload: RejectPayout,
      success: OperatorPayout,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Reject a payout", "It fails with `review_rejected`, and its hold is released.", [
          "not_found",
          "state_conflict"
        ])
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.post("cancel", "/tenants/:tenant_id/payouts/:payout_id/cancel", {
      params: payoutParams,
      success: CancelledPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Cancel a payout",
        "Takes effect at once if nothing was signed. Otherwise a replacement is broadcast, and the chain includes one of the two.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("rebroadcast", "/tenants/:tenant_id/payouts/:payout_id/rebroadcast", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Rebroadcast a payout",
        "Broadcasts the signed bytes again now. If nothing is signed yet, the service tries that now instead of later.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("bump", "/tenants/:tenant_id/payouts/:payout_id/bump", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Raise the fee of a payout",
        "Replaces the newest transaction now with one that pays a higher fee and has the same replay guard: at most one of them takes effect. Not on tron.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("attachEvidence", "/tenants/:tenant_id/payouts/:payout_id/evidence", {
      params: payoutParams,
      payload: AttachEvidence,
      success: OperatorPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Add evidence to a payout",
        "A note, and optionally a transaction, which the service looks up on the chain. It does not change the status by itself: a proven transaction settles the payout once nothing that was signed for the payout can take effect.",
        ["not_found", "state_conflict"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Payouts", description: "Payout wallets and chain payouts." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
