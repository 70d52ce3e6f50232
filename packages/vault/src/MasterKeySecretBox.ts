import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { SecretBox, SecretUnreadable } from "@bursar/core/port/SecretBox"
import { Effect, Layer, Redacted } from "effect"
import type { MasterKeys } from "./MasterKeys.ts"

const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

const seal = (keys: MasterKeys, owner: string, secret: Redacted.Redacted): string => {
  const key = keys.byId.get(keys.current)
  if (key === undefined) throw new Error("there is no current master key")
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, Redacted.value(key), nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([
    nonce,
    cipher.update(Redacted.value(secret), "utf8"),
    cipher.final(),
    cipher.getAuthTag()
  ])
  return `v1.${keys.current}.${sealed.toString("base64url")}`
}

const open = (keys: MasterKeys, owner: string, text: string): Redacted.Redacted => {
  const [version, id = "", body = ""] = text.split(".")
  const key = keys.byId.get(id)
  if (version !== "v1" || key === undefined) throw new Error("sealed under a key that is not here")
  const sealed = Buffer.from(body, "base64url")
  const decipher = createDecipheriv(algorithm, Redacted.value(key), sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const plain = Buffer.concat([
    decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)),
    decipher.final()
  ])
  return Redacted.make(plain.toString("utf8"))
}

/** The same secret sealed under the current master key; undefined where it is already. Throws where it cannot be opened, there too. */
export const reseal = (keys: MasterKeys, owner: string, sealed: string): string | undefined => {
  const secret = open(keys, owner, sealed)
  return sealed.split(".")[1] === keys.current ? undefined : seal(keys, owner, secret)
}

/**
 * Seals secrets with AES-256-GCM (NIST SP 800-38D) under master keys from the environment: a random 96-bit nonce each,
 * the owner as associated data, the key's id in front so that keys can be rotated.
 */
export const layer = (keys: MasterKeys): Layer.Layer<SecretBox> =>
  Layer.succeed(
    SecretBox,
    SecretBox.of({
      seal: (owner, secret) => Effect.sync(() => seal(keys, owner, secret)),
      open: (owner, sealed) =>
        Effect.try({ try: () => open(keys, owner, sealed), catch: () => new SecretUnreadable({ owner }) })
    })
  )
