import { createHash } from "node:crypto"
import { pointFromScalar, sign } from "tiny-secp256k1"
import type { TransactionSignature } from "@bursar/core/port/ChainSender"
import { publicKeyAddresses } from "@bursar/bitcoin"

/** A key of the tests with its addresses on regtest. */
export interface TestKey {
  readonly secret: Uint8Array
  readonly publicKey: Uint8Array
  readonly p2wpkh: string
  readonly p2sh: string
  readonly p2pkh: string
}

/** The key that a name stands for; the same every time. */
export const keyOf = (name: string): TestKey => {
  const secret = Uint8Array.from(createHash("sha256").update(`bursar ${name}`).digest())
  const publicKey = pointFromScalar(secret, true) ?? new Uint8Array()
  const [p2wpkh = "", p2sh = "", p2pkh = ""] = publicKeyAddresses("regtest", publicKey)
  return { secret, publicKey, p2wpkh, p2sh, p2pkh }
}

/** Signs as the vault does: RFC 6979, the lower S, `r` then `s`. */
export const signWith = ({ publicKey, secret }: TestKey, digest: Uint8Array): TransactionSignature => ({
  publicKey,
  bytes: sign(digest, secret),
  // Bitcoin needs none: the key is given.
  recovery: null
})

/** Keys by their addresses. */
export interface KeyRing {
  /** A key that was not given before. */
  readonly next: () => TestKey
  /** Throws for an address of no key that was given. */
  readonly of: (address: string) => TestKey
}

/** An empty ring; rings of different names have different keys. */
export const makeKeyRing = (name: string): KeyRing => {
  const byAddress = new Map<string, TestKey>()
  let serial = 0
  return {
    next: () => {
      const key = keyOf(`${name} ${++serial}`)
      for (const address of [key.p2wpkh, key.p2sh, key.p2pkh]) byAddress.set(address, key)
      return key
    },
    of: (address) => {
      const key = byAddress.get(address)
      if (key === undefined) throw new Error(`the tests have no key of ${address}`)
      return key
    }
  }
}
