import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { OperatorWaiting } from "./OperatorWaiting.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

/** What waits for an operator and stands in no list of all tenants. */
export class WaitingGroup extends HttpApiGroup.make("waiting")
  .add(
    HttpApiEndpoint.get("show", "/waiting", { success: OperatorWaiting, error: wireErrors }).annotateMerge(
      operatorRoute(
        "Count what waits",
        "What is listed by tenant alone: grants, adjustments and resolutions that wait for an approval, webhook endpoints that are off or fail, and suspense. Tenants of which nothing waits are left out."
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Waiting", description: "What waits for an operator, by tenant." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
