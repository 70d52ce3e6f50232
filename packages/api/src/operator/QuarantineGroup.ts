import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Limits } from "../Limits.ts"
import { Network } from "../wire/Network.ts"
import { listLimits, QueryFlag, queryInteger, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import {
  BlockOrder,
  BlockOrderList,
  PassBlock,
  PassQuarantined,
  QuarantineList,
  QuarantinePassed,
  WithdrawOrder
} from "./OperatorQuarantine.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

const ofBlock = { network: Network, block_number: queryInteger({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }

/** What could not be read of the networks' blocks, and what is done about it. */
export class QuarantineGroup extends HttpApiGroup.make("quarantine")
  .add(
    HttpApiEndpoint.get("list", "/quarantine", {
      query: {
        network: Schema.optionalKey(Network),
        open: Schema.optionalKey(QueryFlag),
        cursor: Schema.optionalKey(text(Limits.cursorLengthMax)),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: QuarantineList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List quarantined transactions",
        "Transactions that could not be read and may concern a tenant. Newest first. Lists only open entries, unless `open` is `false`. `cursor` is the `next_cursor` of the page before.",
        ["invalid_cursor", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.post("pass", "/networks/:network/quarantine/pass", {
      params: { network: Network },
      payload: PassQuarantined,
      success: QuarantinePassed,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Pass a quarantined transaction",
          "Closes the entry without reading the transaction. Nothing is credited: book by hand what it brought. If no entry is open, the answer is `not_found`.",
          ["not_found"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.post("rereadBlock", "/networks/:network/blocks/:block_number/reread", {
      params: ofBlock,
      success: BlockOrder,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read a block again",
        "The watcher reads it in its next pass. Existing records stay. What can be read now is recorded and leaves the quarantine. A block that was never read is refused (`state_conflict`).",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("passBlock", "/networks/:network/blocks/:block_number/pass", {
      params: ofBlock,
      payload: PassBlock,
      success: BlockOrder,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Pass a block that cannot be read",
          "If a block cannot be read at all, the watcher stops before it. This makes the watcher skip it, and the whole block goes into quarantine. A block that was read, or that the watcher has not reached yet, is refused (`state_conflict`).",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.get("orders", "/block-orders", { success: BlockOrderList, error: wireErrors }).annotateMerge(
      operatorRoute(
        "List orders for blocks",
        "Blocks that operators told the watcher to read again or to skip, and that it has not come to, or that no node serves."
      )
    ),
    HttpApiEndpoint.post("withdrawOrder", "/networks/:network/blocks/:block_number/withdraw", {
      params: ofBlock,
      payload: WithdrawOrder,
      success: BlockOrder,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Take an order for a block back",
        "The watcher no longer tries it, and the block stays as it is: unread, if it was. One that it carries out at that moment may still be carried out. If there is no such order, because it was carried out, taken back or replaced, the answer is `state_conflict`.",
        ["not_found", "state_conflict"]
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Quarantine", description: "What could not be read of the networks' blocks." })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
