import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { queryInteger } from "../wire/QueryParameters.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import {
  exportFormats,
  IncomeReport,
  OperatorPeriod,
  OperatorPeriodList,
  PeriodReport,
  PeriodText
} from "./OperatorBooks.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

const params = { tenant_id: Uuid }
const periodParams = { tenant_id: Uuid, period: PeriodText }
const posting = queryInteger({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const statementFormat = Schema.optionalKey(Schema.Literals(["csv", "pdf"]))

/** The header of an export that says after which posting it begins. */
export const exportAfterHeader = "x-export-after"
/** The header of an export that says which posting is its last. */
export const exportThroughHeader = "x-export-through"

const csv = "text/csv; charset=utf-8"

/** A file of any of `exportFormats`, written while it is read. */
const exported = HttpApiSchema.StreamUint8Array({
  contentType: [csv, "application/x-ndjson", "text/plain; charset=utf-8", "application/xml"]
})

/** A statement as a file. */
const statement = HttpApiSchema.StreamUint8Array({ contentType: [csv, "application/pdf"] })

/** Books for accountants: exports, months that are closed, and what the service earns. */
export class BooksGroup extends HttpApiGroup.make("books")
  .add(
    HttpApiEndpoint.get("export", "/tenants/:tenant_id/export", {
      params,
      query: {
        format: Schema.Literals(exportFormats),
        period: Schema.optionalKey(PeriodText),
        from: Schema.optionalKey(Timestamp),
        to: Schema.optionalKey(Timestamp),
        after: Schema.optionalKey(posting),
        through: Schema.optionalKey(posting)
      },
      success: exported,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Export a tenant's books",
        `Writes the ledger as a file, as long as it may be: all of it, a month, or what was booked from one moment to another. What is booked meanwhile is not in it. \`${exportAfterHeader}\` and \`${exportThroughHeader}\` say which postings it has. A connection that breaks leaves a file without its end. To go on, repeat the request with \`through\` as it was and \`after\` as the last posting that you have whole: the answer goes on from there, without the head of the file. CAMT.053 cannot be continued.`,
        ["not_found", "invalid_request", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("periods", "/tenants/:tenant_id/periods", {
      params,
      success: OperatorPeriodList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List closed periods", "Oldest first.", ["not_found"])),
    HttpApiEndpoint.post("close", "/tenants/:tenant_id/periods/:period/close", {
      params: periodParams,
      success: OperatorPeriod,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Close a period",
        "Fixes the statement of a month that is over. The months of a tenant are closed one after the other; what is booked later is in a later one. The digests of the statement are in the audit log. A period that is closed stays as it is.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("statement", "/tenants/:tenant_id/periods/:period/statement", {
      params: periodParams,
      query: { format: statementFormat },
      success: statement,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read a statement", "Of a closed period, as CSV or PDF. It is the same bytes every time.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.get("verify", "/tenants/:tenant_id/periods/:period/verify", {
      params: periodParams,
      success: PeriodReport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Verify a statement",
        "Makes the statement of a closed period anew from the ledger, and compares it with the digest that was fixed and with the audit log.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.get("servicePeriods", "/periods", { success: OperatorPeriodList, error: wireErrors }).annotateMerge(
      operatorRoute("List closed periods of the service", "Those of all tenants together, oldest first.")
    ),
    HttpApiEndpoint.post("closeService", "/periods/:period/close", {
      params: { period: PeriodText },
      success: OperatorPeriod,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Close a period of all tenants",
        "Closes the month of every tenant whose month is still open, then fixes the operator's own statement of it. Nothing of the operator's is fixed where a tenant's month cannot be closed.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("serviceStatement", "/periods/:period/statement", {
      params: { period: PeriodText },
      query: { format: statementFormat },
      success: statement,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read the operator's statement", "Of a closed period, as CSV or PDF.", ["not_found"])
    ),
    HttpApiEndpoint.get("verifyService", "/periods/:period/verify", {
      params: { period: PeriodText },
      success: PeriodReport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Verify the operator's statement", "As a tenant's statement is verified.", ["not_found"])
    ),
    HttpApiEndpoint.get("income", "/income", {
      query: { month: PeriodText, tenant_id: Schema.optionalKey(Uuid) },
      success: IncomeReport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Report costs and income",
        "What a month earned and cost, by tenant, product and currency, from the postings of the month.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Books", description: "Exports, statements, costs and income." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
