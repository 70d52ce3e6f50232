import { BIP32Factory, type BIP32Interface } from "bip32"
import { createHmac } from "node:crypto"
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

const hardened = 0x8000_0000
const keyBytes = 32

const hmac = (key: string | Uint8Array, data: Uint8Array): Buffer => createHmac("sha512", key).update(data).digest()

/** What a child's key is made from: the parent's private key where the step is hardened, and its public key otherwise. */
const childData = (privateKey: Uint8Array, step: string, publicKey: () => Uint8Array): Uint8Array => {
  const index = Buffer.alloc(4)
  if (step.endsWith("'")) {
    index.writeUInt32BE(hardened + Number.parseInt(step, 10))
    return Buffer.concat([Buffer.of(0), privateKey, index])
  }
  index.writeUInt32BE(Number.parseInt(step, 10))
  return Buffer.concat([publicKey(), index])
}

/** Public keys on the ways below one seed, by their paths. */
export type PublicKeys = Map<string, Uint8Array>

/** How many of them are kept for a seed. */
const publicKeysMax = 1_000

/** The public key at a path, computed once: that takes as long as a signature does. */
const publicKeyAt = (known: PublicKeys, path: string, privateKey: Uint8Array): Uint8Array => {
  const there = known.get(path)
  if (there !== undefined) return there
  const made = publicKeyOf(privateKey)
  if (made === undefined) throw new Error("there is no such key")
  if (known.size >= publicKeysMax) known.clear()
  known.set(path, made)
  return made
}

/** The private key that a parent's moves on to by the first half of a child's hash (BIP 32); that there is none happens to one hash in 2^127. */
const added = (privateKey: Uint8Array, by: Uint8Array): Uint8Array => {
  const sum = ecc.privateAdd(privateKey, by)
  if (sum === null) throw new Error("there is no such key")
  return sum
}

/**
 * Lends the private key at a path below a seed. The steps are those of BIP 32, without what only an extended key has written in it: its
 * parent's fingerprint takes a public key at each step, which is most of the time that a signature takes. `known` keeps those that a step does
 * take, and is of this seed alone.
 */
export const withKeyAt = <A>(
  seed: Uint8Array,
  path: string,
  use: (privateKey: Uint8Array) => A,
  known: PublicKeys = new Map()
): A => {
  const walk = (key: Uint8Array, chain: Uint8Array, here: string, steps: ReadonlyArray<string>): A =>
    wiping(key, () => {
      const [step, ...rest] = steps
      if (step === undefined) return use(key)
      const next = wiping(
        childData(key, step, () => publicKeyAt(known, here, key)),
        (data) => hmac(chain, data)
      )
      return wiping(next, () =>
        walk(added(key, next.subarray(0, keyBytes)), next.subarray(keyBytes), `${here}/${step}`, rest)
      )
    })
  const [root = "m", ...steps] = path.split("/")
  const master = hmac("Bitcoin seed", seed)
  return wiping(master, () => walk(master.subarray(0, keyBytes), master.subarray(keyBytes), root, steps))
}

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
