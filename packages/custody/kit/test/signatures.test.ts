import fc from "fast-check"
import { generateKeyPairSync, sign } from "node:crypto"
import * as ecc from "tiny-secp256k1"
import { assert, describe, it } from "vitest"
import { compressedPoint, fromSpki, onCurve } from "@bursar/custody-kit/publicKeys"
import { fromDer, recoverable, verifiedEd25519 } from "@bursar/custody-kit/signatures"

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const privateKey = bytes32.filter((key) => ecc.isPrivate(key))

const integer = (bytes: Uint8Array): Buffer => {
  const trimmed = Buffer.from(bytes.slice(bytes.findIndex((byte) => byte !== 0)))
  const value = (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed
  return Buffer.concat([Buffer.of(2, value.length), value])
}

const derOf = (compact: Uint8Array): Buffer => {
  const body = Buffer.concat([integer(compact.slice(0, 32)), integer(compact.slice(32))])
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

/** The same signature with the other `s`, which verifies just as well. */
const mirrored = (compact: Uint8Array): Uint8Array => {
  const s = order - BigInt(`0x${Buffer.from(compact.slice(32)).toString("hex")}`)
  return Buffer.concat([compact.slice(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")])
}

const publicKeyOf = (key: Uint8Array) => ecc.pointFromScalar(key, true) ?? assert.fail("no point")

describe("signatures of secp256k1", () => {
  it("either s of a signature becomes the lower one, with the recovery id of another library", () => {
    fc.assert(
      fc.property(privateKey, bytes32, fc.boolean(), (key, digest, high) => {
        const { recoveryId, signature } = ecc.signRecoverable(digest, key)
        const given = fromDer(derOf(high ? mirrored(signature) : signature)) ?? assert.fail("not read")
        const signed = recoverable(given, { digest, publicKey: publicKeyOf(key) })
        assert.deepStrictEqual(signed?.bytes, Uint8Array.from(signature))
        assert.strictEqual(signed?.recovery, recoveryId)
      }),
      { numRuns: 60 }
    )
  })

  it("what is not a signature of that digest by that key is none", () => {
    fc.assert(
      fc.property(privateKey, privateKey, bytes32, bytes32, (key, otherKey, digest, otherDigest) => {
        fc.pre(!Buffer.from(key).equals(otherKey) && !Buffer.from(digest).equals(otherDigest))
        const { signature } = ecc.signRecoverable(digest, key)
        assert.isUndefined(recoverable(signature, { digest: otherDigest, publicKey: publicKeyOf(key) }))
        assert.isUndefined(recoverable(signature, { digest, publicKey: publicKeyOf(otherKey) }))
        assert.isUndefined(recoverable(signature.slice(1), { digest, publicKey: publicKeyOf(key) }))
        assert.isUndefined(recoverable(new Uint8Array(64), { digest, publicKey: publicKeyOf(key) }))
      }),
      { numRuns: 30 }
    )
  })

  it("DER with anything before, after or missing is not read", () => {
    const der = derOf(ecc.sign(new Uint8Array(32).fill(3), new Uint8Array(32).fill(7)))
    assert.isDefined(fromDer(der))
    for (const bad of [Buffer.alloc(0), der.subarray(1), der.subarray(0, -1), Buffer.concat([der, Buffer.of(0)])]) {
      assert.isUndefined(fromDer(bad))
    }
  })
})

describe("signatures of ed25519", () => {
  it("a signature of the key of that message stands, and no other", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const raw = fromSpki(publicKey.export({ format: "der", type: "spki" }))?.publicKey ?? assert.fail("not read")
    const message = Buffer.from("a message")
    const signature = sign(null, message, privateKey)
    assert.deepStrictEqual(verifiedEd25519(signature, { message, publicKey: raw })?.bytes, Uint8Array.from(signature))
    assert.isUndefined(verifiedEd25519(signature, { message: Buffer.from("another"), publicKey: raw }))
    assert.isUndefined(verifiedEd25519(signature.subarray(1), { message, publicKey: raw }))
  })
})

describe("public keys", () => {
  it("SubjectPublicKeyInfo gives the curve and the key, and nothing for a key of another kind", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
    const jwk = publicKey.export({ format: "jwk" })
    const read = fromSpki(publicKey.export({ format: "der", type: "spki" }))
    assert.strictEqual(read?.curve, "secp256k1")
    assert.deepStrictEqual(Buffer.from(read?.publicKey.slice(1) ?? []), Buffer.from(jwk.x ?? "", "base64url"))
    const other = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey
    assert.isUndefined(fromSpki(other.export({ format: "der", type: "spki" })))
    assert.isUndefined(fromSpki(Buffer.from("no key")))
  })

  it("what lies not on the curve is no public key", () => {
    const key = publicKeyOf(new Uint8Array(32).fill(9))
    assert.isTrue(onCurve("secp256k1", key))
    assert.deepStrictEqual(compressedPoint(ecc.pointCompress(key, false)), Uint8Array.from(key))
    assert.isFalse(onCurve("secp256k1", ecc.pointCompress(key, false)))
    assert.isFalse(onCurve("secp256k1", new Uint8Array(33).fill(2, 0, 1).fill(0xff, 1)))
    assert.isFalse(onCurve("ed25519", new Uint8Array(31)))
  })
})
