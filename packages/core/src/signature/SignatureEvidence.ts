import type { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"

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
export const withEvidence = (
  details: OperationDetails<"CHAIN_PAYOUT">,
  evidence: SignatureEvidence
): OperationDetails<"CHAIN_PAYOUT"> => ({
  ...details,
  signature: {
    keyid: evidence.keyid,
    signature_base: evidence.signatureBase,
    signature: evidence.signature,
    body: evidence.body
  }
})

/** The evidence in an operation's details; undefined where there is none, or not all of it. */
export const evidenceOf = ({ details }: Pick<Operation, "details">): SignatureEvidence | undefined => {
  const { body, keyid, signature, signature_base: signatureBase } = details.signature ?? {}
  return body !== undefined && keyid !== undefined && signature !== undefined && signatureBase !== undefined
    ? { keyid, signatureBase, signature, body }
    : undefined
}
