import { createHmac, hash as oneShot, randomBytes, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

/** The hash under which a key is stored: HMAC-SHA-256 under the pepper, lower-case hex. */
export const hashKey = (pepper: Redacted.Redacted, key: string): string =>
  createHmac("sha256", Redacted.value(pepper)).update(key, "utf8").digest("hex")

/** Whether a key has this stored hash; takes the same time wherever they differ. */
export const matchesHash = (pepper: Redacted.Redacted, key: string, hash: string): boolean => {
  const expected = Buffer.from(hash, "hex")
  const actual = createHmac("sha256", Redacted.value(pepper)).update(key, "utf8").digest()
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/**
 * Makes what tells whether a text is the key of this stored hash, as {@link matchesHash} does. The text that was the key is known again by
 * its own digest, without the pepper: the same key comes with every request. The digest is salted, so that nobody who guesses at keys knows
 * the digests of the guesses, and the time that two take to be compared tells nothing of the key.
 */
export const makeMatcher = (pepper: Redacted.Redacted, hash: string): ((key: string) => boolean) => {
  const salt = randomBytes(16).toString("hex")
  let known: string | undefined
  return (key) => {
    const digest = oneShot("sha256", salt + key, "base64")
    if (known !== undefined && known === digest) return true
    if (!matchesHash(pepper, key, hash)) return false
    known = digest
    return true
  }
}

/** Whether two secrets are equal; takes the same time wherever they differ, and whatever their lengths. */
export const equalSecrets = (expected: Redacted.Redacted, given: string): boolean => {
  const digest = (text: string) => createHmac("sha256", "compare").update(text, "utf8").digest()
  return timingSafeEqual(digest(Redacted.value(expected)), digest(given))
}

/** A secret derived from another for one purpose, so that a deployment need not keep one per purpose. */
export const deriveSecret = (from: Redacted.Redacted, purpose: string): Redacted.Redacted =>
  Redacted.make(createHmac("sha256", Redacted.value(from)).update(`bursar ${purpose}`, "utf8").digest("hex"))
