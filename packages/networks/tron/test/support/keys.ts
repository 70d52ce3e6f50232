import { signature } from "@bursar/simulator-tron/account"
import type { TransactionSignature } from "@bursar/core/port/ChainSender"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { pointFromScalar } from "tiny-secp256k1"

/** A private key, in hexadecimal. */
export const keyOf = (serial: number): string => serial.toString(16).padStart(64, "7")

const publicKeyOf = (key: string): Uint8Array => {
  const point = pointFromScalar(hexToBytes(key), true)
  if (point === null) throw new Error("this is not a private key")
  return point
}

/** Signs a digest with a key; without one that is a mistake of the test. */
export const signWith = (key: string | undefined, digest: Uint8Array): TransactionSignature => {
  if (key === undefined) throw new Error("the world has no key of this address")
  const signed = hexToBytes(signature(key, bytesToHex(digest)))
  return { publicKey: publicKeyOf(key), bytes: signed.subarray(0, 64), recovery: (signed[64] ?? 0) - 27 }
}
