import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Caller } from "./Caller.ts"
import type { VerifiedSignature } from "./VerifiedSignature.ts"

/**
 * Verifies the request's signature (RFC 9421, Ed25519) before the body is parsed; it answers the `signature_*` codes
 * and `digest_mismatch`.
 *
 * Clients provide it with the signer.
 */
export class Signed extends HttpApiMiddleware.Service<Signed, { requires: Caller; provides: VerifiedSignature }>()(
  "@bursar/api/Signed",
  { error: wireErrors, requiredForClient: true }
) {}
