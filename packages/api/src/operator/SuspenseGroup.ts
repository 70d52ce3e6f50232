import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Limits } from "../Limits.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { Suspense } from "./OperatorSuspense.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

/** What arrived and cannot be given to anybody. */
export class SuspenseGroup extends HttpApiGroup.make("suspense")
  .add(
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/suspense", {
      params: { tenant_id: Uuid },
      query: {
        cursor: Schema.optionalKey(text(Limits.cursorLengthMax)),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: Suspense,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read the suspense account",
        "By currency: funds that arrived and belong to nobody yet, and funds that left a place although the ledger did not show them there. Then the lines of all currencies, newest first: `cursor` is the `next_cursor` of the page before. Credit what arrived to the tenant with an adjustment against `suspense`. Explain what left with a move to its place from the place that had it.",
        ["not_found", "invalid_cursor", "limit_out_of_range"]
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Suspense", description: "What arrived and cannot be given to anybody." })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
