import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"

/** A nonce that a signing key has used, and for which request. Kept until no signature with it could be in time. */
export interface SignatureNonce {
  readonly keyid: string
  readonly nonce: string
  /** The idempotency key of the request that used it. */
  readonly idempotencyKey: string
  /** The SHA-256 of the body of that request, base64. */
  readonly contentDigest: string
  readonly usedAt: Timestamp
  /** From when on it may be forgotten. */
  readonly forgetAt: Timestamp
}

/** For how long after its signature expires a nonce is kept, far beyond any skew of clocks. */
export const nonceKeptMs = 600_000

/** A nonce of a signing key. */
export interface NonceKey {
  readonly keyid: string
  readonly nonce: string
}

/** The nonces that were used: each once, until it may be forgotten. */
export const SignatureNonce = defineRecord<SignatureNonce, NonceKey>({
  name: "SignatureNonce",
  key: ({ keyid, nonce }) => ({ keyid, nonce }),
  text: ({ keyid, nonce }) => `${keyid}|${nonce}`,
  traits: { insertOnly: true, expiresAt: ({ forgetAt }) => forgetAt }
})
