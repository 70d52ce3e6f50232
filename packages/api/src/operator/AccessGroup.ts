import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { BrowserSessionList, KnownOperatorList } from "./OperatorAccess.ts"
import { RequiredRole } from "./RequiredRole.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

const SessionId = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "the id of a session" }))

/** Who may use the operator interface, and whose browsers are signed in. */
export class AccessGroup extends HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.get("operators", "/operators", { success: KnownOperatorList, error: wireErrors }).annotateMerge(
      operatorRoute(
        "List operators",
        "Everybody whom the configuration of this server knows, with role and credential. `OPERATORS` changes it."
      )
    ),
    HttpApiEndpoint.get("sessions", "/sessions", { success: BrowserSessionList, error: wireErrors }).annotateMerge(
      operatorRoute(
        "List sessions",
        "The browsers that are signed in, newest first: yours, and as an administrator everybody's."
      )
    ),
    HttpApiEndpoint.post("endSession", "/sessions/:session_id/end", {
      params: { session_id: SessionId },
      success: BrowserSessionList,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "End a session",
          "Signs that browser out, everywhere and at once. Yours, or as an administrator anybody's. The answer lists those that are left.",
          ["not_found"]
        )
      )
      .annotate(RequiredRole, "viewer")
  )
  .annotateMerge(OpenApi.annotations({ title: "Access", description: "Operators and their browsers' sessions." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
