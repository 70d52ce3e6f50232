import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import {
  CustomerOperationList,
  EndCheck,
  OperatorAccountEntryList,
  OperatorCustomer,
  OperatorCustomerDetail,
  OperatorCustomerPage
} from "./OperatorCustomer.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

const limit = Schema.optionalKey(queryLimit(listLimits.operatorLists))

/** The end users of tenants, their identity checks, their fiat accounts and what moved on them. */
export class OperatorCustomersGroup extends HttpApiGroup.make("customers")
  .add(
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/customers", {
      params: { tenant_id: Uuid },
      query: { external_id: Schema.optionalKey(text(256)), after: Schema.optionalKey(Uuid), limit },
      success: OperatorCustomerPage,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List customers", "Newest first, or the one that has an external id of the tenant.", [
        "not_found",
        "invalid_cursor",
        "limit_out_of_range"
      ])
    ),
    HttpApiEndpoint.get("get", "/tenants/:tenant_id/customers/:customer_id", {
      params: { tenant_id: Uuid, customer_id: Uuid },
      success: OperatorCustomerDetail,
      error: wireErrors
    }).annotateMerge(operatorRoute("Read a customer", "With its identity check and its fiat accounts.", ["not_found"])),
    HttpApiEndpoint.post("endCheck", "/tenants/:tenant_id/customers/:customer_id/end-check", {
      params: { tenant_id: Uuid, customer_id: Uuid },
      payload: EndCheck,
      success: OperatorCustomer,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "End an identity check",
        "For an applicant that the provider has deleted, of whom it says nothing any more: the approval is EXPIRED and grants nothing. The check is read again at once: if the provider still tells of an approval, that counts again, so end such a one at the provider. If the customer has no approval of this applicant, the answer is `state_conflict`.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("operations", "/tenants/:tenant_id/customers/:customer_id/operations", {
      params: { tenant_id: Uuid, customer_id: Uuid },
      query: { limit },
      success: CustomerOperationList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List a customer's operations",
        "Transfers, conversions and payouts of the customer, newest first.",
        ["not_found", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.get("entries", "/tenants/:tenant_id/accounts/:account_id/entries", {
      params: { tenant_id: Uuid, account_id: Uuid },
      query: { limit },
      success: OperatorAccountEntryList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List entries of an account", "The account, and its lines in the ledger, newest first.", [
        "not_found",
        "limit_out_of_range"
      ])
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Customers", description: "End users of tenants and their fiat accounts." })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
