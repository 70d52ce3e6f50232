import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { listLimits, QueryFlag, queryLimit } from "../wire/QueryParameters.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorSweepDetail, OperatorSweepPage } from "./OperatorSweep.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

/** What moves deposits from addresses to payout wallets. */
export class SweepsGroup extends HttpApiGroup.make("sweeps")
  .add(
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/sweeps", {
      params: { tenant_id: Uuid },
      query: {
        open: Schema.optionalKey(QueryFlag),
        address_id: Schema.optionalKey(Uuid),
        after: Schema.optionalKey(Uuid),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: OperatorSweepPage,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List sweeps", "Newest first. `open` chooses those that are, or are not, under way.", [
        "not_found",
        "invalid_cursor",
        "limit_out_of_range"
      ])
    ),
    HttpApiEndpoint.get("get", "/tenants/:tenant_id/sweeps/:sweep_id", {
      params: { tenant_id: Uuid, sweep_id: Uuid },
      success: OperatorSweepDetail,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read a sweep", "One sweep with its outbound transactions and what was signed for them.", [
        "not_found"
      ])
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Sweeps", description: "What moves deposits from addresses to payout wallets." })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
