import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"
import type { SignatureEvidence } from "./SignatureEvidence.ts"

/**
 * A signed request by which a partner has registered addresses or an extended public key, kept whole: what is shown of them must follow from it
 * wherever the granted policy demands such signatures, whatever their rows say.
 */
export interface SignedRegistration extends SignatureEvidence {
  /** What the request makes (`RequestSignature.makes`): the id of an extended public key; addresses name it (`registrations`). */
  readonly id: string
  readonly recordedAt: Timestamp
}

/** Signed registrations by their ids. They stay as they were written. */
export const SignedRegistration = defineRecord<SignedRegistration>({
  name: "SignedRegistration",
  key: ({ id }) => id,
  traits: { insertOnly: true }
})
