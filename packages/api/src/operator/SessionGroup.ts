import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { operatorCredentials, operatorRoles } from "./Operator.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { RequiredRole } from "./RequiredRole.ts"

/** Who the service takes the caller for. */
export const OperatorSession = Schema.Struct({
  name: Schema.String.annotate({ description: "The name in the ledger and in the audit log." }),
  role: Schema.Literals(operatorRoles),
  credential: Schema.Literals(operatorCredentials).annotate({ description: "How the caller proved who it is." }),
  expires_at: Schema.NullOr(Timestamp).annotate({
    description: "When the token is refused; null if it does not expire."
  })
}).annotate({ identifier: "OperatorSession" })

/** What became of a token that its owner signed out with. */
export const SessionEnded = Schema.Struct({
  ended: Schema.Boolean.annotate({
    description: "False for an operator token: it has no session, and works until OPERATORS names it no more."
  })
}).annotate({ identifier: "SessionEnded" })

/** A link that signs its owner in, once. */
export const SignInLink = Schema.Struct({
  code: Schema.String.annotate({
    description: "Give it to `POST /operator/v1/sign-in`, or open the console with `#code=…`."
  }),
  expires_at: Timestamp
}).annotate({ identifier: "SignInLink" })

/** The caller's own session. */
export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("show", "/session", { success: OperatorSession, error: wireErrors }).annotateMerge(
      operatorRoute("Show the session", "Who the service takes you for, with which role, and until when.")
    ),
    HttpApiEndpoint.post("link", "/session/link", { success: SignInLink, error: wireErrors })
      .annotateMerge(
        operatorRoute(
          "Make a sign-in link",
          "A code with which you, and nobody under another name, sign a browser in. It is good once, for five minutes.",
          ["state_conflict"]
        )
      )
      .annotate(RequiredRole, "viewer"),
    HttpApiEndpoint.post("end", "/session/end", { success: SessionEnded, error: wireErrors })
      .annotateMerge(
        operatorRoute(
          "Sign out",
          "Ends all sessions and links of your browsers, everywhere. If you come with a token of the identity provider, the server process that answers refuses it from now on; others refuse it when it expires."
        )
      )
      .annotate(RequiredRole, "viewer")
  )
  .annotateMerge(OpenApi.annotations({ title: "Session", description: "Who is signed in." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
