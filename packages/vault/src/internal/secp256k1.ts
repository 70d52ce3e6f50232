import { BIP32Factory, type BIP32Interface } from "bip32"
import * as ecc from "tiny-secp256k1"
import type { VaultSignature } from "@bursar/core/port/Vault"
import { wiping } from "./wiping.ts"

const bip32 = BIP32Factory(ecc)

/** Every node on the way holds a private key; each is overwritten before this returns. */
const at = <A>(seed: Uint8Array, path: string, use: (node: BIP32Interface, privateKey: Uint8Array) => A): A => {
  const walk = (node: BIP32Interface, steps: ReadonlyArray<string>): A =>
    wiping(privateKeyOf(node), (key) => {
      const [step, ...rest] = steps
      if (step === undefined) return use(node, key)
      const index = Number.parseInt(step, 10)
      return walk(step.endsWith("'") ? node.deriveHardened(index) : node.derive(index), rest)
    })
  return walk(bip32.fromSeed(seed), path.split("/").slice(1))
}

/** The library gives out its own bytes and no copy: wiping them wipes the node. */
const privateKeyOf = ({ privateKey }: BIP32Interface): Uint8Array => {
  if (privateKey === undefined) throw new Error("there is no private key")
  return privateKey
}

/** The extended public key at a path below a seed (BIP 32). */
export const xpubAt = (seed: Uint8Array, path: string): string => at(seed, path, (node) => node.neutered().toBase58())

/** Lends the private key at a path below a seed. */
export const withKeyAt = <A>(seed: Uint8Array, path: string, use: (privateKey: Uint8Array) => A): A =>
  at(seed, path, (_node, key) => use(key))

/** The compressed public key of a private key; undefined where it is none: not 32 bytes, zero, or not below the order. */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array | undefined =>
  privateKey.length === 32 && ecc.isPrivate(privateKey)
    ? (ecc.pointFromScalar(privateKey, true) ?? undefined)
    : undefined

/** Signs a digest with a nonce after RFC 6979; `s` is the lower of the two. */
export const sign = (privateKey: Uint8Array, digest: Uint8Array): VaultSignature => {
  const { recoveryId, signature } = ecc.signRecoverable(digest, privateKey)
  return { bytes: Uint8Array.from(signature), recovery: recoveryId }
}
