import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Caller } from "./Caller.ts"

/**
 * Verifies the signature of a request as `Signed` does, where the tenant's policy demands one for the endpoint's `SignedByPolicy`; it
 * answers the same codes. What verifies is a `VerifiedSignature` for the handler; what nobody demands is not looked at.
 */
export class PolicySigned extends HttpApiMiddleware.Service<PolicySigned, { requires: Caller }>()(
  "@bursar/api/PolicySigned",
  { error: wireErrors }
) {}
