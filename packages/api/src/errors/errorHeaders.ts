import { acceptSignature } from "../signature/SignatureProfile.ts"
import { entryOf, isErrorCode } from "./Catalogue.ts"
import type { ErrorBody } from "./ErrorBody.ts"

/** The headers that may stand on an error answer. */
export interface ErrorHeaders {
  readonly "retry-after"?: string
  readonly "www-authenticate"?: string
  readonly "accept-signature"?: string
}

/**
 * The headers that an error's body implies: `Retry-After` from `detail.retry_after_seconds`, `WWW-Authenticate` on
 * every 401, `Accept-Signature` where the signature is at fault.
 *
 * Answers written by the contract's encoder carry them already; use this for answers made outside it.
 */
export const errorHeaders = ({ error }: ErrorBody): ErrorHeaders => {
  const seconds = error.detail?.["retry_after_seconds"]
  const status = isErrorCode(error.code) ? entryOf(error.code).status : undefined
  const signature = error.code.startsWith("signature_") || error.code === "digest_mismatch"
  return {
    ...(typeof seconds === "number" ? { "retry-after": String(Math.max(0, Math.ceil(seconds))) } : {}),
    ...(status === 401
      ? { "www-authenticate": error.code === "key_invalid" ? `Bearer error="invalid_token"` : "Bearer" }
      : {}),
    ...(status === 401 && signature ? { "accept-signature": acceptSignature } : {})
  }
}
