import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { listLimits, queryInteger, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import { AuditEntryList, AuditReport } from "./OperatorAudit.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

const queryPlace = queryInteger({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** What operators did: a chain of hashes, added to by every request that is not a GET. */
export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: {
        operator: Schema.optionalKey(text(64)),
        before: Schema.optionalKey(queryPlace),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: AuditEntryList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List actions",
        "Newest first. For the next page, set `before` to the last id of the previous page.",
        ["limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.get("verify", "/audit/verify", {
      query: { anchor: Schema.optionalKey(text(64)) },
      success: AuditReport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Verify the audit log",
        "Verifies the hash chain from its first record, and holds the log against its seals: names the first record that was changed, removed or inserted, and the records that a seal covers and that were cut off or rewritten. `anchor` is a hash that you noted earlier."
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Audit", description: "What operators did." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
