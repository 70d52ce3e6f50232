import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { CheckReport } from "./CheckReport.ts"
import { OperatorNetwork, OperatorNetworkList, StopPayouts } from "./OperatorNetwork.ts"
import { ProviderList } from "./OperatorProvider.ts"
import { resumeQuery } from "./OperatorReconciliation.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { Network } from "../wire/Network.ts"
import { Uuid } from "../wire/Uuid.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byGrant } from "./Consent.ts"

const params = { network: Network }

/** How the networks are read, what is switched off on them, and whether the books are right. */
export class HealthGroup extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("networks", "/networks", { success: OperatorNetworkList, error: wireErrors }).annotateMerge(
      operatorRoute("List networks", "Height, lag, watcher status and latest problem of every network.")
    ),
    HttpApiEndpoint.post("stopPayouts", "/networks/:network/stop-payouts", {
      params,
      payload: StopPayouts,
      success: OperatorNetwork,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Stop payouts on a network",
        "Takes effect for all tenants at once: no payout is accepted, and no waiting one is sent. A payout that already has a transaction continues.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.post("resumePayouts", "/networks/:network/resume-payouts", {
      params,
      query: resumeQuery,
      success: OperatorNetwork,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Resume payouts on a network",
          "Waiting payouts are sent within minutes. A network that the configuration turned off stays off (`state_conflict`).",
          ["not_found", "state_conflict", "grant_required"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byGrant("network")),
    HttpApiEndpoint.get("providers", "/providers", { success: ProviderList, error: wireErrors }).annotateMerge(
      operatorRoute(
        "List providers",
        "Who keeps money, moves fiat and checks identities: each with its stop, and how the newest operations of the last 24 hours ended."
      )
    ),
    HttpApiEndpoint.get("check", "/check", {
      query: { tenant_id: Schema.optionalKey(Uuid) },
      success: CheckReport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Run the checker",
        "Recomputes the ledger from its entries and names the first wrong row of each broken rule. With `tenant_id` it checks that tenant and what all share.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Health", description: "Networks and the checker." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
