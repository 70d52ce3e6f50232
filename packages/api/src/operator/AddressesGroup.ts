import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { DepositAddress } from "../wire/DepositAddress.ts"
import { Uuid } from "../wire/Uuid.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { HoldAddress } from "./HoldAddress.ts"
import { KeyConflictList } from "./KeyConflict.ts"
import { OperatorIssuingAccount, PrepareIssuing } from "./OperatorIssuingAccount.ts"
import { RequiredRole } from "./RequiredRole.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

const params = { tenant_id: Uuid, address_id: Uuid }

/** The deposit addresses of tenants: what operators hold, and what lost its key to another tenant. */
export class AddressesGroup extends HttpApiGroup.make("addresses")
  .add(
    HttpApiEndpoint.get("keyConflicts", "/key-conflicts", {
      query: { limit: Schema.optionalKey(queryLimit(listLimits.operatorLists)) },
      success: KeyConflictList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List key conflicts",
        "Addresses, extended public keys and wallets of one tenant whose key belongs to another tenant, as an update of the database found. The other tenant keeps the key. Tell the tenant, who may still send money there.",
        ["limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.post("prepareIssuing", "/tenants/:tenant_id/issuing-accounts", {
      params: { tenant_id: params.tenant_id },
      payload: PrepareIssuing,
      success: OperatorIssuingAccount,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Show an issuing account",
          "The account that the tenant's addresses of the network are issued from, with the values of the grant `issuing_account`. Makes the tenant's seed if there is none. Issues nothing.",
          ["not_found", "unknown_network", "provider_unavailable", "product_not_enabled"]
        )
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.post("hold", "/tenants/:tenant_id/addresses/:address_id/hold", {
      params,
      payload: HoldAddress,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Hold sweeping",
        "Stops the sweeping of the address, even if the tenant releases it. Detection and crediting continue.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("release", "/tenants/:tenant_id/addresses/:address_id/release", {
      params,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Release sweeping", "Ends a hold of an operator or of the service. A hold of the tenant stays.", [
        "not_found",
        "state_conflict"
      ])
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Addresses",
      description: "Holds on deposit addresses, and conflicts over their keys."
    })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
