import type { Json } from "../base/Json.ts"
import type { Operation } from "../operation/Operation.ts"

/**
 * The signed request that asked for an operation, kept whole so that whoever carries the operation out can verify it once
 * more. The process that took the request alone can then invent nothing.
 */
export interface SignatureEvidence {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyid: string
  /** The text that was signed; it holds the digest of the body. */
  readonly signatureBase: string
  /** The signature, base64. */
  readonly signature: string
  /** The body byte for byte, base64. */
  readonly body: string
}

/** The details of an operation with the evidence of who asked for it, under `signature`. */
export const withEvidence = (details: Operation["details"], evidence: SignatureEvidence): Operation["details"] => ({
  ...details,
  signature: {
    keyid: evidence.keyid,
    signature_base: evidence.signatureBase,
    signature: evidence.signature,
    body: evidence.body
  }
})

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The evidence in an operation's details; undefined where there is none, or not all of it. */
export const evidenceOf = ({ details }: Pick<Operation, "details">): SignatureEvidence | undefined => {
  const stored = details["signature"]
  if (!isObject(stored)) return undefined
  const { body, keyid, signature, signature_base: signatureBase } = stored
  return typeof body === "string" &&
    typeof keyid === "string" &&
    typeof signature === "string" &&
    typeof signatureBase === "string"
    ? { keyid, signatureBase, signature, body }
    : undefined
}
