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
          "Make a wallet",
          "One to pay from per network; on stellar also some that lend sequence numbers.",
          ["not_found", "unknown_network", "state_conflict", "address_unavailable", "provider_unavailable"]
        )
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.get("wallets", "/tenants/:tenant_id/wallets", {
      params,
      success: OperatorWalletList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List wallets", "All of a tenant.", ["not_found"])),
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
      operatorRoute("List payouts", "Newest first; `status=IN_REVIEW` is the queue of reviews.", [
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
      operatorRoute("Read a payout", "With how far it has come, what it waits for, and all that was signed.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.post("approve", "/tenants/:tenant_id/payouts/:payout_id/approve", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Approve a payout", "By somebody else than its maker. It is sent from now on.", [
          "not_found",
          "state_conflict"
        ])
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.post("reject", "/tenants/:tenant_id/payouts/:payout_id/reject", {
      params: payoutParams,
      payload: RejectPayout,
      success: OperatorPayout,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Reject a payout", "It fails as `review_rejected`, and what it held is given back.", [
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
        "At once where nothing was signed; else a replacement is sent, and the chain decides which comes to be.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("rebroadcast", "/tenants/:tenant_id/payouts/:payout_id/rebroadcast", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Send a payout again",
        "What was signed is given to a node again now, byte for byte. Where nothing is signed yet, that is tried now instead of later.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("bump", "/tenants/:tenant_id/payouts/:payout_id/bump", {
      params: payoutParams,
      success: OperatorPayout,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Bid more for a payout",
        "A dearer transaction takes the place of the newest now, under the same token: at most one of them takes effect. Not on tron.",
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
        "Tell what is known of a payout",
        "A note, and perhaps a transaction about which the chain is asked. It writes no status: a transaction that the chain has proven settles the payout once nothing that was signed for it can take effect.",
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
