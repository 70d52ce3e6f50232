import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { Limits } from "../Limits.ts"
import { Network } from "../wire/Network.ts"
import { listLimits, QueryFlag, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { DecideHeldArrival, HeldArrivalDecided, HeldArrivalList } from "./OperatorHeldArrival.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { RequiredRole } from "./RequiredRole.ts"
import { ConsentNeeded, byAnother } from "./Consent.ts"

/** Arrivals that wait for a second node, and what operators decide about them. */
export class HeldArrivalsGroup extends HttpApiGroup.make("held-arrivals")
  .add(
    HttpApiEndpoint.get("list", "/held-arrivals", {
      query: {
        network: Schema.optionalKey(Network),
        open: Schema.optionalKey(QueryFlag),
        cursor: Schema.optionalKey(text(Limits.cursorLengthMax)),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: HeldArrivalList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List held arrivals",
        "Deposits and transfers to wallets that are not credited because nodes of two operators do not say the same of them. Newest first. Lists only open ones, unless `open` is `false`. `cursor` is the `next_cursor` of the page before.",
        ["invalid_cursor", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.post("accept", "/networks/:network/held-arrivals/accept", {
      params: { network: Network },
      payload: DecideHeldArrival,
      success: HeldArrivalDecided,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Accept a held arrival",
          "Credits it by your own evidence, once two operators have accepted it. A second acceptance by the same operator is refused (`state_conflict`).",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byAnother()),
    HttpApiEndpoint.post("refuse", "/networks/:network/held-arrivals/refuse", {
      params: { network: Network },
      payload: DecideHeldArrival,
      success: HeldArrivalDecided,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Refuse a held arrival",
          "It is never credited in this block, whatever nodes say later. One operator is enough.",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver")
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Held arrivals",
      description: "What nodes of two operators do not agree on."
    })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
