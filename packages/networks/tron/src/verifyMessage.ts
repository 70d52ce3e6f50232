import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Result } from "effect"
import { recover } from "tiny-secp256k1"
import { fromEvmHex } from "./TronAddress.ts"

const signatureForm = /^0x[0-9a-fA-F]{130}$/u

const hashOf = (message: string): Uint8Array => {
  const text = new TextEncoder().encode(message)
  const prefix = new TextEncoder().encode(`\u0019TRON Signed Message:\n${text.length}`)
  return keccak_256(Uint8Array.of(...prefix, ...text))
}

const signerOf = (message: string, signature: Uint8Array): string | undefined => {
  // the recovery stands at the end, counted from 0 or, as of old, from 27
  const last = signature[64] ?? 0
  const recovery = last >= 27 ? last - 27 : last
  if (recovery !== 0 && recovery !== 1) return undefined
  const publicKey = recover(hashOf(message), signature.subarray(0, 64), recovery, false)
  return publicKey === null ? undefined : fromEvmHex(bytesToHex(keccak_256(publicKey.subarray(1)).subarray(-20)))
}

/** Whether the key of an address has signed a text by TIP-191: 65 bytes in hexadecimal. */
export const verifyMessage = (address: string, message: string, signature: string): boolean =>
  signatureForm.test(signature) &&
  Result.getOrElse(
    Result.try(() => signerOf(message, hexToBytes(signature.slice(2))) === address),
    () => false
  )
