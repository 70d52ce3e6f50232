import { constants, createDecipheriv, createPrivateKey, type KeyObject, privateDecrypt } from "node:crypto"
import type { WrappingAlgorithm } from "@bursar/core/port/Vault"
import { wiping } from "./wiping.ts"

/** The initial value of AES key wrap with padding (RFC 5649, section 3). */
const kwpInitialValue = Buffer.from("a65959a6", "hex")

const modulusBytes = (key: KeyObject): number => (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8

/** Decrypts what has the length of the modulus (RFC 8017, section 7.1.2): OpenSSL takes it without its leading zeros, too. */
const oaep = (key: KeyObject, wrapped: Uint8Array): Buffer => {
  if (wrapped.length !== modulusBytes(key)) throw new Error("what is wrapped has another length than the key")
  return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, wrapped)
}

const openers: Readonly<
  Record<WrappingAlgorithm, <A>(key: KeyObject, wrapped: Uint8Array, use: (secret: Buffer) => A) => A>
> = {
  "RSA-OAEP-SHA256": (key, wrapped, use) => wiping(oaep(key, wrapped), use),
  // a random AES key under RSA, then the secret under that key, one after the other (PKCS #11, CKM_RSA_AES_KEY_WRAP)
  "RSA-OAEP-SHA256+AES-KWP": (key, wrapped, use) =>
    wiping(oaep(key, wrapped.subarray(0, modulusBytes(key))), (aesKey) => {
      const decipher = createDecipheriv("id-aes256-wrap-pad", aesKey, kwpInitialValue)
      return wiping(decipher.update(wrapped.subarray(modulusBytes(key))), (secret) => {
        decipher.final()
        return use(secret)
      })
    })
}

/** Lends what was wrapped for an RSA key (PKCS #8, DER). Throws where it cannot be unwrapped. */
export const unwrap = <A>(
  privateKey: Buffer,
  algorithm: WrappingAlgorithm,
  wrapped: Uint8Array,
  use: (secret: Buffer) => A
): A => openers[algorithm](createPrivateKey({ key: privateKey, format: "der", type: "pkcs8" }), wrapped, use)
