import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign as signWith } from "node:crypto"
import type { VaultSignature } from "@bursar/core/port/Vault"
import { wiping } from "./wiping.ts"

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")
const hardened = 0x8000_0000
const keyBytes = 32

const keyObject = (privateKey: Uint8Array): KeyObject =>
  wiping(Buffer.concat([pkcs8, privateKey]), (key) => createPrivateKey({ key, format: "der", type: "pkcs8" }))

/** Lends the private key at a path below a seed: SLIP-10, in which every step of ed25519 is hardened. */
export const withKeyAt = <A>(seed: Uint8Array, path: string, use: (privateKey: Uint8Array) => A): A => {
  const walk = (node: Buffer, steps: ReadonlyArray<string>): A =>
    wiping(node, () => {
      const [step, ...rest] = steps
      const [key, chain] = [node.subarray(0, keyBytes), node.subarray(keyBytes)]
      if (step === undefined) return use(key)
      const index = Buffer.alloc(4)
      index.writeUInt32BE(hardened + Number.parseInt(step, 10))
      return wiping(Buffer.concat([Buffer.of(0), key, index]), (data) =>
        walk(createHmac("sha512", chain).update(data).digest(), rest)
      )
    })
  return walk(createHmac("sha512", "ed25519 seed").update(seed).digest(), path.split("/").slice(1))
}

/** The 32 bytes of the public key of a private one; undefined where that has not 32 bytes. */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array | undefined =>
  privateKey.length === keyBytes
    ? Uint8Array.from(
        createPublicKey(keyObject(privateKey)).export({ format: "der", type: "spki" }).subarray(-keyBytes)
      )
    : undefined

/** Signs a digest (RFC 8032). */
export const sign = (privateKey: Uint8Array, digest: Uint8Array): VaultSignature => ({
  bytes: Uint8Array.from(signWith(null, digest, keyObject(privateKey))),
  recovery: null
})
