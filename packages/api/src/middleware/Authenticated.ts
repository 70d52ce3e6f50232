import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Caller } from "./Caller.ts"

/**
 * Establishes the {@link Caller} from the bearer key, then checks the tenant's own allowlist and status.
 *
 * It answers `key_missing`, `key_invalid` and `tenant_suspended`. Clients provide it with the key to send.
 */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: Caller }>()(
  "@bursar/api/Authenticated",
  {
    security: {
      bearer: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "The API key: `Authorization: Bearer <API_KEY>`.")
      )
    },
    error: wireErrors,
    requiredForClient: true
  }
) {}
