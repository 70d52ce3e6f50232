import type { TransactionSignature } from "@bursar/core/port/ChainSender"
import { addressOfPublicKey } from "@bursar/evm"
import * as ecc from "tiny-secp256k1"

/** Private keys that everybody may know. */
export interface TestKeys {
  /** The address of a new key. */
  readonly create: () => string
  readonly sign: (address: string, digest: Uint8Array) => TransactionSignature
}

/** Keys that are numbered from 1. */
export const makeKeys = (): TestKeys => {
  const keys = new Map<string, Uint8Array>()
  const publicOf = (key: Uint8Array) => {
    const point = ecc.pointFromScalar(key, true)
    if (point === null) throw new Error("no key")
    return point
  }
  return {
    create: () => {
      const key = new Uint8Array(32).fill(7)
      key.set(new TextEncoder().encode(String(keys.size + 1)))
      const address = addressOfPublicKey(publicOf(key))
      keys.set(address, key)
      return address
    },
    sign: (address, digest) => {
      const key = keys.get(address)
      if (key === undefined) throw new Error(`there is no key of ${address}`)
      const { recoveryId, signature } = ecc.signRecoverable(digest, key)
      return { publicKey: publicOf(key), bytes: signature, recovery: recoveryId }
    }
  }
}
