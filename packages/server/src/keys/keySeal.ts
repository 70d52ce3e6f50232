import { createHmac, timingSafeEqual } from "node:crypto"
import type { KeyFacts } from "@bursar/core/access/ApiKey"
import { Redacted } from "effect"
import { deriveSecret } from "./hashKey.ts"

const macOf = (pepper: Redacted.Redacted, { expiresAt, hash, id, kind, scopes, tenantId }: KeyFacts): Buffer =>
  createHmac("sha256", Redacted.value(deriveSecret(pepper, "API key seal")))
    .update(JSON.stringify(["api_key.1", tenantId, id, kind, scopes.toSorted(), expiresAt, hash]), "utf8")
    .digest()

/** The seal of a key: HMAC-SHA-256 over what it may do under a secret that follows from the pepper, lower-case hex. */
export const sealOf = (pepper: Redacted.Redacted, facts: KeyFacts): string => macOf(pepper, facts).toString("hex")

/** Whether a seal is that of a key; takes the same time wherever they differ. */
export const isSealOf = (pepper: Redacted.Redacted, facts: KeyFacts, seal: string): boolean => {
  const given = Buffer.from(seal, "hex")
  const expected = macOf(pepper, facts)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
