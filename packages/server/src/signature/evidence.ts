import type { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import type { SignatureEvidence } from "@bursar/core/signature/SignatureEvidence"
import type { RequestSignature } from "@bursar/core/signature/signedIdempotent"
import * as Base64 from "effect/encoding/Base64"

/** What is kept of a signed request with what it makes, for `withEvidence`. */
export const toEvidence = ({
  body,
  keyid,
  signature,
  signatureBase
}: VerifiedSignature["Service"]): SignatureEvidence => ({ keyid, signatureBase, signature, body: Base64.encode(body) })

/** What decides whether a signed request is a new one, and what is kept of it, for `signedIdempotent`. */
export const toRequestSignature = (verified: VerifiedSignature["Service"]): RequestSignature => {
  const { contentDigest, expires, keyid, nonce } = verified
  return { keyid, nonce, contentDigest, expiresAt: expires * 1000, evidence: toEvidence(verified) }
}
