import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Operator } from "./Operator.ts"

/** Establishes the {@link Operator} from the bearer token; it answers `key_missing` and `key_invalid`. */
export class OperatorAuthenticated extends HttpApiMiddleware.Service<OperatorAuthenticated, { provides: Operator }>()(
  "@bursar/api/OperatorAuthenticated",
  {
    security: {
      operator: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "`Authorization: Bearer <TOKEN>`: the operator's own token, the token that operators share, or a token of the identity provider of operators (a JWT)."
        )
      )
    },
    error: wireErrors,
    requiredForClient: true
  }
) {}
