import { Schema } from "effect"

/** The codes with which a signature is refused; each stands in the catalogue as a 401. */
export const signatureCodes = [
  "signature_missing",
  "signature_malformed",
  "signature_key_unknown",
  "signature_coverage_insufficient",
  "signature_expired",
  "signature_invalid",
  "digest_mismatch"
] as const

/** A code with which a signature is refused. */
export type SignatureCode = (typeof signatureCodes)[number]

/** Why a request's signature is not taken: the first check that it fails, in words for who has to mend it. */
export class SignatureProblem extends Schema.TaggedError<SignatureProblem>()("SignatureProblem", {
  code: Schema.Literals(signatureCodes),
  message: Schema.String
}) {}

/** The problem of a code. */
export const signatureProblem = (code: SignatureCode, message: string): SignatureProblem =>
  new SignatureProblem({ code, message })
