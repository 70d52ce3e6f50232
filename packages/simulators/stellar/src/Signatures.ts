import { Keypair, type Transaction, type FeeBumpTransaction } from "@stellar/stellar-sdk/base"
import { createPublicKey, verify } from "node:crypto"
import type { Account } from "./Account.ts"

/** What an Ed25519 key begins with in the form that Node reads. */
const keyPrefix = Buffer.from("302a300506032b6570032100", "hex")

const hintBytes = 4
const weightMax = 255

/** The signatures of a transaction, each to be used by at least one account. */
export interface Signatures {
  /** Whether those that belong to an account weigh enough. */
  readonly suffice: (account: Account, needed: number) => boolean
  readonly allUsed: () => boolean
}

const isBy = (key: string, hash: Uint8Array, hint: Uint8Array, signature: Uint8Array): boolean => {
  const raw = Buffer.from(Keypair.fromPublicKey(key).rawPublicKey())
  if (!raw.subarray(-hintBytes).equals(hint)) return false
  const publicKey = createPublicKey({ key: Buffer.concat([keyPrefix, raw]), format: "der", type: "spki" })
  return verify(null, hash, publicKey, signature)
}

/** The signatures on a transaction; each must be of the hash that the network's passphrase gives it. */
export const signaturesOf = (signed: Transaction | FeeBumpTransaction): Signatures => {
  const hash = signed.hash()
  const all = signed.signatures.map(({ hint, signature }) => ({ hint: hint.toBytes(), signature: signature.toBytes() }))
  const used = new Set<number>()
  return {
    suffice: (account, needed) => {
      const keys = new Map([...account.signers, [account.id, account.thresholds.master] as const])
      let weight = 0
      for (const [index, { hint, signature }] of all.entries()) {
        const key = [...keys].find(([name, value]) => value > 0 && isBy(name, hash, hint, signature))
        if (key === undefined) continue
        used.add(index)
        keys.delete(key[0])
        weight += Math.min(key[1], weightMax)
        if (weight >= needed) return true
      }
      return false
    },
    allUsed: () => used.size === all.length
  }
}
