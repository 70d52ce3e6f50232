import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { DepositPage } from "../wire/Deposit.ts"
import { listLimits, queryAfter, queryLimit } from "../wire/QueryParameters.ts"
import { ReferenceText } from "../wire/Text.ts"

/** The arrivals on watched addresses. */
export class DepositsGroup extends HttpApiGroup.make("deposits")
  .add(
    HttpApiEndpoint.get("list", "/v1/deposits", {
      query: {
        after: Schema.optionalKey(queryAfter),
        limit: Schema.optionalKey(queryLimit(listLimits.deposits)),
        reference: Schema.optionalKey(ReferenceText)
      },
      success: DepositPage,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:read",
        built: true,
        summary: "List deposits",
        description:
          "Deposits in `change_seq` order, those after `after`. A deposit appears again when its status changes. Stop paging when `deposits` is empty. An `after` beyond the last `change_seq` is refused with `invalid_cursor`: no answer gave it.",
        refuses: ["limit_out_of_range", "invalid_cursor"]
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Deposits", description: "Arrivals on watched addresses." })) {}
