import type { Proof } from "../port/ChainSender.ts"

/**
 * What a proof is worth as evidence: nothing where the hash is that of a transaction which only bids for the one that was signed. By its two
 * hashes, one transaction would speak for two payments.
 */
export const asEvidence = (proof: Proof): Proof =>
  proof.verdict === "PROVEN" && proof.innerHash !== undefined
    ? {
        verdict: "NOT_PROVEN",
        reason: `That transaction only bids for the one that was signed: give the hash of that one, ${proof.innerHash}.`
      }
    : proof
