import type { CustodyCurve } from "@bursar/core/port/KeyCustody"
import { ed25519 } from "@noble/curves/ed25519.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Result } from "effect"
import { createPublicKey } from "node:crypto"

const points = { secp256k1: secp256k1.Point, ed25519: ed25519.Point }

/** What names a curve in a JSON Web Key (RFC 8812, RFC 8037). */
const jwkCurves: Readonly<Record<string, CustodyCurve>> = { secp256k1: "secp256k1", Ed25519: "ed25519" }

/** Whether bytes are a public key: 33 bytes of secp256k1, or 32 of ed25519, which lie on the curve. */
export const onCurve = (curve: CustodyCurve, publicKey: Uint8Array): boolean =>
  publicKey.length === (curve === "secp256k1" ? 33 : 32) &&
  Result.isSuccess(Result.try(() => points[curve].fromBytes(publicKey).assertValidity()))

/** The compressed form of a point of secp256k1 (SEC 1, 2.3.3); undefined where it is none. */
export const compressedPoint = (point: Uint8Array): Uint8Array | undefined =>
  Result.getOrUndefined(Result.try(() => secp256k1.Point.fromBytes(point).toBytes(true)))

/** A public key out of its SubjectPublicKeyInfo (DER), with its curve; undefined where that is of another kind. */
export const fromSpki = (
  der: Uint8Array
): { readonly curve: CustodyCurve; readonly publicKey: Uint8Array } | undefined => {
  const read = Result.try(() =>
    createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" }).export({ format: "jwk" })
  )
  if (Result.isFailure(read)) return undefined
  const { crv = "", x = "", y = "" } = read.success
  const curve = jwkCurves[crv]
  if (curve === undefined) return undefined
  const [first, second] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]
  const publicKey =
    curve === "ed25519" ? Uint8Array.from(first) : compressedPoint(Buffer.concat([Buffer.of(4), first, second]))
  return publicKey !== undefined && onCurve(curve, publicKey) ? { curve, publicKey } : undefined
}
