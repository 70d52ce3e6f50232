import type { VaultSignature } from "@bursar/core/port/Vault"
import { ed25519 } from "@noble/curves/ed25519.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Result } from "effect"

const compactBytes = 64
const order = secp256k1.Point.Fn.ORDER
const recoveryIds = [0, 1, 2, 3]

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

/** `r` and `s` of a signature in DER (SEC 1, C.5), 64 bytes; undefined where it is not exactly that. */
export const fromDer = (der: Uint8Array): Uint8Array | undefined =>
  Result.getOrUndefined(Result.try(() => secp256k1.Signature.fromBytes(der, "der").toBytes("compact")))

/** The public key, compressed, that a signature of a digest is by, if `recovery` is right; undefined where there is none. */
const recovered = (
  signature: InstanceType<typeof secp256k1.Signature>,
  digest: Uint8Array,
  recovery: number
): Uint8Array | undefined =>
  Result.getOrUndefined(Result.try(() => signature.addRecoveryBit(recovery).recoverPublicKey(digest).toBytes(true)))

/**
 * A secp256k1 signature (`r` and `s`, 64 bytes) with the lower `s` and its recovery id. Undefined where it is not a signature of
 * that digest by that key (33 bytes): a custody may be broken, or lie, and what it gives is used for nothing until it verifies.
 */
export const recoverable = (
  compact: Uint8Array,
  { digest, publicKey }: { readonly digest: Uint8Array; readonly publicKey: Uint8Array }
): VaultSignature | undefined => {
  if (compact.length !== compactBytes) return undefined
  const read = Result.getOrUndefined(Result.try(() => secp256k1.Signature.fromBytes(compact, "compact")))
  if (read === undefined) return undefined
  const low = read.hasHighS() ? new secp256k1.Signature(read.r, order - read.s) : read
  const recovery = recoveryIds.find((id) => {
    const key = recovered(low, digest, id)
    return key !== undefined && sameBytes(key, publicKey)
  })
  return recovery === undefined ? undefined : { bytes: low.toBytes("compact"), recovery }
}

/** An ed25519 signature, where it is one of that message by that key (32 bytes); else undefined. */
export const verifiedEd25519 = (
  bytes: Uint8Array,
  { message, publicKey }: { readonly message: Uint8Array; readonly publicKey: Uint8Array }
): VaultSignature | undefined =>
  Result.getOrElse(
    Result.try(() => ed25519.verify(bytes, message, publicKey)),
    () => false
  )
    ? { bytes: Uint8Array.from(bytes), recovery: null }
    : undefined
