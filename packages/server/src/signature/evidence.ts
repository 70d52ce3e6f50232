import { nodeCrypto } from "./nodeCrypto.ts"
import type { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { requestIdOf } from "@bursar/api/signature/requestId"
import type { SignatureEvidence } from "@bursar/core/signature/SignatureEvidence"
import type { RequestSignature } from "@bursar/core/signature/signedIdempotent"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import * as Base64 from "effect/encoding/Base64"

/** What is kept of a signed request with what it makes, for `withEvidence`. */
export const toEvidence = ({
  body,
  keyid,
  signature,
  signatureBase
}: VerifiedSignature["Service"]): SignatureEvidence => ({ keyid, signatureBase, signature, body: Base64.encode(body) })

/** What decides whether a signed request of a tenant is a new one, what it makes and what is kept of it, for `signedIdempotent`. */
export const toRequestSignature = Effect.fnUntraced(function* (
  tenantId: TenantId,
  verified: VerifiedSignature["Service"]
): Effect.fn.Return<RequestSignature> {
  const { contentDigest, expires, keyid, nonce } = verified
  return {
    keyid,
    nonce,
    contentDigest,
    expiresAt: expires * 1000,
    evidence: toEvidence(verified),
    makes: yield* requestIdOf(tenantId, verified, nodeCrypto.sha256)
  }
})
