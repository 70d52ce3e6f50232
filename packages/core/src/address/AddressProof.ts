import type { Timestamp } from "../base/Timestamp.ts"
import type { KeyFamily, Network } from "../money/Network.ts"
import { type DepositAddress, serviceHoldsKey } from "./DepositAddress.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * What a tenant proves: that it has the key of an address, on all networks on which that is the same key's; or the account behind an
 * extended public key, and with it all addresses that were derived from it and will be.
 */
export type ProofSubject = string

/** The subject of an address that was registered on a network of a family. */
export const addressSubject = (family: KeyFamily, address: string): ProofSubject => `${family}|${address}`

/** The subject of the addresses derived from an extended public key. */
export const xpubSubject = (xpubId: string): ProofSubject => `xpub|${xpubId}`

/** What has to be proven for an address on a network of a family; undefined where the service holds its key. */
export const subjectOf = (
  { address, origin, xpubId }: Pick<DepositAddress, "address" | "origin" | "xpubId">,
  family: KeyFamily
): ProofSubject | undefined => {
  if (serviceHoldsKey(origin)) return undefined
  return origin === "DERIVED" && xpubId !== null ? xpubSubject(xpubId) : addressSubject(family, address)
}

/** A message that was signed with a key that the tenant says to have. It is kept as it was signed. */
export interface AddressProof {
  readonly subject: ProofSubject
  readonly network: Network
  /** Canonical; of an extended public key the address at 0/0. */
  readonly address: string
  readonly message: string
  readonly signature: string
  readonly provenAt: Timestamp
}

/** The group of the proofs of extended public keys: few, and read with every deposit that could need one. */
export const xpubProofs = "xpubs"

/** Proofs by their subjects. Those of extended public keys are a group. */
export const AddressProof = defineRecord<AddressProof>({
  name: "AddressProof",
  key: ({ subject }) => subject,
  group: ({ subject }) => (subject.startsWith(xpubSubject("")) ? xpubProofs : null)
})
