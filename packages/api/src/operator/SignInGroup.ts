import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { text } from "../wire/Text.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { OperatorSession } from "./SessionGroup.ts"

/** What a person signs in with: the code of a link, or a token. */
export const SignIn = Schema.Union([
  Schema.Struct({ code: text(128) }),
  Schema.Struct({ token: text(8_192) })
]).annotate({ identifier: "SignIn", examples: [{ code: "NDcxMQ" }] })

/** How a browser begins a session. It takes no token in a header: what is given in the body is the proof. */
export class SignInGroup extends HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("enter", "/sign-in", {
      payload: SignIn,
      success: OperatorSession,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Sign a browser in",
        "Begins a session of four hours in a cookie that no script can read and no other site can send. The code of a link is good once, for five minutes. The session ends with the credential that it stands on.",
        ["key_invalid"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Sign-in", description: "How a browser begins a session." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals) {}
