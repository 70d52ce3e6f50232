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

/** What decides whether a signed request is a new one, for `signedIdempotent`. */
export const toRequestSignature = ({
  contentDigest,
  expires,
  keyid,
  nonce
}: VerifiedSignature["Service"]): RequestSignature => ({ keyid, nonce, contentDigest, expiresAt: expires * 1000 })
