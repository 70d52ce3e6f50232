import { pointFromScalar, recover, signRecoverable } from "tiny-secp256k1"
import { keccak256 } from "viem"

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, "hex")

/** The address of an uncompressed public key. */
const addressOfPoint = (point: Uint8Array): string => `41${keccak256(point.subarray(1)).slice(-40)}`

/** The address of a private key in hexadecimal. */
export const addressOfKey = (key: string): string => {
  const point = pointFromScalar(bytesOf(key), false)
  if (point === null) throw new Error("this is not a private key")
  return addressOfPoint(point)
}

/** The signature of a hash: r, s and the recovery id plus 27. */
export const signature = (key: string, hash: string): string => {
  const { recoveryId, signature: signed } = signRecoverable(bytesOf(hash), bytesOf(key))
  return Buffer.from(signed).toString("hex") + (27 + recoveryId).toString(16)
}

const signatureBytes = 65

/** The address that signed a hash; undefined when the signature is none. */
export const signer = (hash: string, signatureHex: string): string | undefined => {
  const bytes = bytesOf(signatureHex)
  const last = bytes[signatureBytes - 1]
  if (bytes.length !== signatureBytes || last === undefined) return undefined
  const id = last >= 27 ? last - 27 : last
  if (id !== 0 && id !== 1 && id !== 2 && id !== 3) return undefined
  try {
    const point = recover(bytesOf(hash), bytes.subarray(0, 64), id, false)
    return point === null ? undefined : addressOfPoint(point)
  } catch {
    return undefined
  }
}
