import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { DepositAddress } from "../wire/DepositAddress.ts"
import { Uuid } from "../wire/Uuid.ts"
import { HoldAddress } from "./HoldAddress.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

const params = { tenant_id: Uuid, address_id: Uuid }

/** The deposit addresses of tenants: what operators hold. */
export class AddressesGroup extends HttpApiGroup.make("addresses")
  .add(
    HttpApiEndpoint.post("hold", "/tenants/:tenant_id/addresses/:address_id/hold", {
      params,
      payload: HoldAddress,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Hold sweeping",
        "The address is not swept, whatever the tenant releases. Detection and crediting are unaffected.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("release", "/tenants/:tenant_id/addresses/:address_id/release", {
      params,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Release sweeping",
        "Ends an operator's hold, or one that the service placed. A hold that the tenant has set stays.",
        ["not_found", "state_conflict"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Addresses", description: "Holds on deposit addresses." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
