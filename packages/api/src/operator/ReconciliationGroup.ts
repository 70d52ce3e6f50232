import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import {
  BreakList,
  breakParams,
  ExplainBreak,
  ObservationList,
  placeParams,
  PlaceStops,
  Reconciliation,
  ReconciliationBreak,
  resumeQuery,
  StopPlace
} from "./OperatorReconciliation.ts"
import {
  ReadStatements,
  StatementFile,
  StatementImported,
  StatementLineList,
  StatementList,
  StatementPart
} from "./OperatorStatement.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { RequiredRole } from "./RequiredRole.ts"
import { ConsentNeeded, byGrant } from "./Consent.ts"

const day = Schema.String.check(
  Schema.isPattern(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u, { expected: "a day such as 2026-11-23" })
)

/** The books against the world: what was found at each place, and what nothing explains. */
export class ReconciliationGroup extends HttpApiGroup.make("reconciliation")
  .add(
    HttpApiEndpoint.get("show", "/reconciliation", { success: Reconciliation, error: wireErrors }).annotateMerge(
      operatorRoute(
        "Compare the books with the world",
        "The newest observation of each currency at each place, and the open breaks, those that somebody has explained among them.",
        []
      )
    ),
    HttpApiEndpoint.get("breaks", "/reconciliation/breaks", {
      query: { limit: Schema.optionalKey(queryLimit(listLimits.operatorLists)) },
      success: BreakList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List breaks", "Open and closed breaks, newest first.", ["limit_out_of_range"])),
    HttpApiEndpoint.get("oneBreak", "/reconciliation/breaks/:break_id", {
      params: breakParams,
      success: ReconciliationBreak,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Show a break", "With the operations that could explain it, the nearest in time first.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.post("explain", "/reconciliation/breaks/:break_id/explain", {
      params: breakParams,
      payload: ExplainBreak,
      success: ReconciliationBreak,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Explain a break",
          "Notes why it is there. It alarms nobody any more, and closes when the difference has gone. A closed one is refused (`state_conflict`).",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.get("observations", "/reconciliation/observations", {
      query: { place: Schema.String, currency: Schema.String, day },
      success: ObservationList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List the observations of a day",
        "All observations of a currency at a place on a day (UTC), newest first. They are kept for 90 days.",
        ["invalid_request"]
      )
    ),
    HttpApiEndpoint.post("stopPlace", "/reconciliation/places/:place/stop", {
      params: placeParams,
      payload: StopPlace,
      success: PlaceStops,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Stop a place",
        "Nothing more is sent to the provider of a place, of all tenants and at once: orders are accepted and wait. What was sent is asked for on. On a network it stops chain payouts.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.post("resumePlace", "/reconciliation/places/:place/resume", {
      params: placeParams,
      query: resumeQuery,
      success: PlaceStops,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Resume a place", "What waits is sent within minutes.", [
          "not_found",
          "state_conflict",
          "grant_required"
        ])
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byGrant("network")),
    HttpApiEndpoint.post("readStatementFile", "/reconciliation/statement-files", {
      payload: StatementFile,
      success: ReadStatements,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Read a statement file",
          "Reads a bank's CAMT.053 file or a CSV file and gives the requests that import its statements. Nothing is kept: look at them, then import each part.",
          ["invalid_request"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.post("importStatement", "/reconciliation/statements", {
      payload: StatementPart,
      success: StatementImported,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Import a part of a statement",
          "Keeps lines of a provider's own books, which the worker compares with ours. A part that was imported already changes nothing. A statement of the same id with other lines, and a line that is known with another amount or day, are refused (`state_conflict`).",
          [
            "not_found",
            "state_conflict",
            "unsupported_asset",
            "amount_invalid",
            "amount_too_precise",
            "invalid_request"
          ]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.get("statements", "/reconciliation/statements", {
      query: { place: Schema.String },
      success: StatementList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List statements",
        "The statements of a place, newest first; `interface` is what its provider tells.",
        []
      )
    ),
    HttpApiEndpoint.get("statementLines", "/reconciliation/statement-lines", {
      query: { place: Schema.String, operation_id: Schema.optionalKey(Schema.String) },
      success: StatementLineList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List statement lines",
        "The lines of a place that are about an operation; without one those of which nobody knows what they are about.",
        []
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Reconciliation",
      description: "The books against the chains, the custodian and the bank."
    })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
