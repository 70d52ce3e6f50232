import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { AmountText } from "../wire/Money.ts"
import { products } from "../wire/Quote.ts"
import { CodeText, CurrencyText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import {
  CreateFeeRule,
  FeeSimulation,
  OperatorDestination,
  OperatorDestinationList,
  OperatorFeeRule,
  OperatorFeeRuleList,
  ProposeDestination,
  RejectDestination,
  VerifyDestination
} from "./OperatorCustody.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byAnother, byGrant } from "./Consent.ts"

const params = { tenant_id: Uuid }
const destinationParams = { tenant_id: Uuid, destination_id: Uuid }
const feeRuleParams = { tenant_id: Uuid, fee_rule_id: Uuid }

/** Where tenants withdraw to, and what they are charged. */
export class CustodyGroup extends HttpApiGroup.make("custody")
  .add(
    HttpApiEndpoint.post("proposeDestination", "/tenants/:tenant_id/destinations", {
      params,
      payload: ProposeDestination,
      success: OperatorDestination.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Propose a destination", "It has no effect until another operator has verified it.", [
          "not_found",
          "state_conflict",
          "unsupported_asset",
          "address_invalid",
          "memo_invalid",
          "grant_required"
        ])
      )
      .annotate(ConsentNeeded, byGrant("destination")),
    HttpApiEndpoint.get("destinations", "/tenants/:tenant_id/destinations", {
      params,
      success: OperatorDestinationList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List destinations", "All of a tenant, in any state.", ["not_found"])),
    HttpApiEndpoint.post("verifyDestination", "/tenants/:tenant_id/destinations/:destination_id/verify", {
      params: destinationParams,
      payload: VerifyDestination,
      success: OperatorDestination,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Verify a destination",
          "Needs another operator than the one who proposed it. Withdrawals can go there after the tenant's waiting time. It is verified as you say that you have seen it: if it is anything else by now, the answer is `state_conflict`.",
          ["not_found", "state_conflict", "grant_required"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byAnother("destination")),
    HttpApiEndpoint.post("rejectDestination", "/tenants/:tenant_id/destinations/:destination_id/reject", {
      params: destinationParams,
      payload: RejectDestination,
      success: OperatorDestination,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Reject a destination",
        "Rejects a proposal, or a verified destination: nothing is sent there any more.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("createFeeRule", "/tenants/:tenant_id/fee-rules", {
      params,
      payload: CreateFeeRule,
      success: OperatorFeeRule.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Add a fee rule", "From its date on, it comes before the service's default rules.", [
          "not_found",
          "unsupported_asset"
        ])
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.get("feeRules", "/tenants/:tenant_id/fee-rules", {
      params,
      success: OperatorFeeRuleList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List fee rules", "All rules of the tenant, including retired ones.", ["not_found"])
    ),
    HttpApiEndpoint.post("retireFeeRule", "/tenants/:tenant_id/fee-rules/:fee_rule_id/retire", {
      params: feeRuleParams,
      success: OperatorFeeRule,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Retire a fee rule", "Existing quotes keep their price.", ["not_found", "state_conflict"])
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.get("simulateFee", "/tenants/:tenant_id/fee-simulation", {
      params,
      query: {
        product: Schema.Literals(products),
        currency: CurrencyText,
        amount: AmountText,
        rail: Schema.optionalKey(CodeText)
      },
      success: FeeSimulation,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Simulate a fee",
        "The fee that an amount would cost now. The rail of a chain payout is its network.",
        ["not_found", "unsupported_asset", "amount_invalid", "amount_too_precise"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Custody", description: "Destinations and fee rules." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
