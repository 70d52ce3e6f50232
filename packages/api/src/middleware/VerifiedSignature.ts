import { Context } from "effect"

/** The signature of a signed request, verified; stored with what the request creates. */
export class VerifiedSignature extends Context.Service<
  VerifiedSignature,
  {
    /** The RFC 7638 thumbprint of the public key. */
    readonly keyid: string
    /** The text that was signed. */
    readonly signatureBase: string
    /** The signature, base64. */
    readonly signature: string
    readonly nonce: string
    /** The SHA-256 of the body, base64, as covered by the signature. */
    readonly contentDigest: string
    /** Unix seconds. */
    readonly created: number
    /** Unix seconds. */
    readonly expires: number
  }
>()("@bursar/api/VerifiedSignature") {}
