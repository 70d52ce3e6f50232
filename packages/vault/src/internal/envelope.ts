import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Redacted } from "effect"
import type { MasterKeys } from "../MasterKeys.ts"
import { wiping } from "./wiping.ts"

const algorithm = "aes-256-gcm"
const version = "v2"
const nonceBytes = 12
const tagBytes = 16
const dataKeyBytes = 32

/** AES-256-GCM (NIST SP 800-38D): a random 96-bit nonce, the text, the tag. */
const encrypt = (key: Uint8Array, owner: string, plain: Uint8Array): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(owner))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

const decrypt = (key: Uint8Array, owner: string, sealed: Buffer): Buffer => {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const start = decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes))
  return wiping(start, () => Buffer.concat([start, decipher.final()]))
}

const masterKey = ({ byId }: MasterKeys, id: string): Uint8Array => {
  const key = byId.get(id)
  if (key === undefined) throw new Error("sealed under a master key that is not here")
  return Redacted.value(key)
}

interface Parts {
  readonly masterKeyId: string
  readonly dataKey: Buffer
  readonly body: string
}

const parse = (sealed: string): Parts => {
  const [format, masterKeyId = "", dataKey = "", body = ""] = sealed.split(".")
  if (format !== version) throw new Error("sealed in a form that is not known")
  return { masterKeyId, dataKey: Buffer.from(dataKey, "base64url"), body }
}

/**
 * Seals a secret under a data key of its own, and that under the current master key. `owner` is bound into both: what is sealed
 * for one cannot be opened for another.
 */
export const seal = (keys: MasterKeys, owner: string, secret: Uint8Array): string =>
  wiping(randomBytes(dataKeyBytes), (dataKey) =>
    [
      version,
      keys.current,
      encrypt(masterKey(keys, keys.current), owner, dataKey).toString("base64url"),
      encrypt(dataKey, owner, secret).toString("base64url")
    ].join(".")
  )

/** Opens a secret for the time of `use`. Throws where the master key is not here, the owner is another, or it was altered. */
export const open = <A>(keys: MasterKeys, owner: string, sealed: string, use: (secret: Buffer) => A): A => {
  const { body, dataKey, masterKeyId } = parse(sealed)
  return wiping(decrypt(masterKey(keys, masterKeyId), owner, dataKey), (key) =>
    wiping(decrypt(key, owner, Buffer.from(body, "base64url")), use)
  )
}

const asNothing = () => undefined

/**
 * Looks whether the master key is the right one: takes the data key out, and opens no secret. Throws as {@link open} does, but for a secret that
 * was altered.
 */
export const checkMasterKey = (keys: MasterKeys, owner: string, sealed: string): void => {
  const { dataKey, masterKeyId } = parse(sealed)
  wiping(decrypt(masterKey(keys, masterKeyId), owner, dataKey), asNothing)
}

/**
 * The same secret with its data key under the current master key; undefined where it is already. The secret itself is not
 * opened. Throws as {@link open} does, also where it is there already: an id alone does not say that its key is the right one.
 */
export const rewrap = (keys: MasterKeys, owner: string, sealed: string): string | undefined => {
  const { body, dataKey, masterKeyId } = parse(sealed)
  return wiping(decrypt(masterKey(keys, masterKeyId), owner, dataKey), (key) =>
    masterKeyId === keys.current
      ? undefined
      : [version, keys.current, encrypt(masterKey(keys, keys.current), owner, key).toString("base64url"), body].join(
          "."
        )
  )
}
