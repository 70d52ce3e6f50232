import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { SolvencySnapshot } from "../solvency/SolvencySnapshot.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import {
  OperatorSnapshot,
  OperatorSnapshotList,
  SnapshotReport,
  TakenSnapshot,
  TakeSnapshot
} from "./OperatorSolvency.ts"
import { RequiredRole } from "./RequiredRole.ts"

const params = { snapshot_id: Uuid }

/** Proofs of reserves and liabilities: taken, looked at, and shown to partners. */
export class OperatorSolvencyGroup extends HttpApiGroup.make("solvency")
  .add(
    HttpApiEndpoint.post("take", "/solvency/snapshots", {
      payload: TakeSnapshot,
      success: TakenSnapshot,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Take a snapshot",
        "Sums up what every tenant is owed at one moment, reads what the addresses of the service hold, and has their keys sign. It is not shown to partners until you publish it.",
        ["invalid_request", "unsupported_asset", "amount_invalid", "amount_too_precise"]
      )
    ),
    HttpApiEndpoint.get("list", "/solvency/snapshots", {
      query: { limit: Schema.optionalKey(queryLimit(listLimits.operatorLists)) },
      success: OperatorSnapshotList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List snapshots", "Newest first.", ["limit_out_of_range"])),
    HttpApiEndpoint.get("document", "/solvency/snapshots/:snapshot_id", {
      params,
      success: SolvencySnapshot,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read the document of a snapshot", "It is public once you publish it.", ["not_found"])
    ),
    HttpApiEndpoint.get("leaves", "/solvency/snapshots/:snapshot_id/leaves", {
      params,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Read the leaves of a snapshot",
          "Every tenant's leaf with its salt, one JSON object a line, in the order of the trees. Keep the file private: it says what each tenant is owed.",
          ["not_found"]
        )
      )
      .annotate(RequiredRole, "operator"),
    HttpApiEndpoint.post("publish", "/solvency/snapshots/:snapshot_id/publish", {
      params,
      success: OperatorSnapshot,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Publish a snapshot",
          "Shows it to partners, with its shortfalls. It stays published, and nothing of it can be changed. Publishing it again changes nothing.",
          ["not_found"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.get("verify", "/solvency/snapshots/:snapshot_id/verify", {
      params,
      success: SnapshotReport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Verify a snapshot",
        "Builds the trees anew from the stored leaves, verifies digests, summary and signatures, and compares the digest with the audit log.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Solvency", description: "Proofs of reserves and liabilities." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
