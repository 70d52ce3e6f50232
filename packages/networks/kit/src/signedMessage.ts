import type { TransactionSignature } from "@bursar/core/port/ChainSender"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Result } from "effect"
import { pointCompress, recover } from "tiny-secp256k1"

/** What stands before a text that is signed. No transaction begins with it. */
export type MessagePrefix = "Ethereum Signed Message" | "TRON Signed Message"

const signatureForm = /^0x[0-9a-fA-F]{130}$/u
const addressBytes = 20

/** The 20 bytes by which the virtual machine knows a public key of secp256k1, in hexadecimal. Throws where it is no point. */
export const machineAddress = (publicKey: Uint8Array): string =>
  bytesToHex(keccak_256(pointCompress(publicKey, false).subarray(1)).subarray(-addressBytes))

/** What is signed of a text, by EIP-191 and TIP-191. */
export const messageDigest = (prefix: MessagePrefix, message: string): Uint8Array => {
  const text = utf8ToBytes(message)
  return keccak_256(concatBytes(utf8ToBytes(`\u0019${prefix}:\n${text.length}`), text))
}

const signerOf = (digest: Uint8Array, signature: Uint8Array): string | undefined => {
  // The recovery stands at the end, counted from 0 or, as of old, from 27.
  const last = signature[64] ?? 0
  const recovery = last >= 27 ? last - 27 : last
  if (recovery !== 0 && recovery !== 1) return undefined
  const publicKey = recover(digest, signature.subarray(0, 64), recovery, true)
  return publicKey === null ? undefined : machineAddress(publicKey)
}

/**
 * The machine address whose key has signed a text, by EIP-191 and TIP-191, which differ in the prefix alone; undefined where the
 * signature is not 65 bytes in hexadecimal, or is none. What a contract would accept (EIP-1271) proves nothing here: it takes a node,
 * and the contract may answer otherwise tomorrow.
 */
export const messageSigner = (prefix: MessagePrefix, message: string, signature: string): string | undefined =>
  signatureForm.test(signature)
    ? Result.getOrUndefined(
        Result.try(() => signerOf(messageDigest(prefix, message), hexToBytes(signature.slice(2).toLowerCase())))
      )
    : undefined

/** A recoverable signature as it is written: `r`, `s`, and the recovery counted from 27. */
export const writtenSignature = ({ bytes, recovery }: Pick<TransactionSignature, "bytes" | "recovery">): string =>
  `0x${bytesToHex(concatBytes(bytes, Uint8Array.of(27 + (recovery ?? 0))))}`
