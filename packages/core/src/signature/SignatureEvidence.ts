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

/** Evidence as the details of an operation keep it, under `signature`. */
export const storedEvidence = ({ body, keyid, signature, signatureBase }: SignatureEvidence) => ({
  keyid,
  signature_base: signatureBase,
  signature,
  body
})

/** The details of a payout with the evidence of who asked for it. */
export const withEvidence = (
  details: OperationDetails<"CHAIN_PAYOUT">,
  evidence: SignatureEvidence
): OperationDetails<"CHAIN_PAYOUT"> => ({ ...details, signature: storedEvidence(evidence) })

/** The evidence in an operation's details; undefined where there is none, or not all of it. */
export const evidenceOf = ({ details }: Pick<Operation, "details">): SignatureEvidence | undefined => {
  const { body, keyid, signature, signature_base: signatureBase } = details.signature ?? {}
  return body !== undefined && keyid !== undefined && signature !== undefined && signatureBase !== undefined
    ? { keyid, signatureBase, signature, body }
    : undefined
}
