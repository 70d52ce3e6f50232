/**
 * What a signed request must cover, no more and no less, in any order (RFC 9421, section 2). The method and the place,
 * what the request is to be known by, and what it says.
 */
export const coveredComponents = [
  "@method",
  "@authority",
  "@path",
  "idempotency-key",
  "content-type",
  "content-digest"
] as const

/** A component that a signature of the profile covers. */
export type CoveredComponent = (typeof coveredComponents)[number]

/** The `tag` of every signature of the profile: a signature made for something else is never taken for one of these. */
export const signatureTag = "bursar-v1"

/** The only algorithm; `alg` may be left out, since the key says it. */
export const signatureAlgorithm = "ed25519"

/** The label that our own signer uses; a verifier takes any. */
export const signatureLabel = "sig1"

/** How long a signature may be valid, from `created` to `expires`. */
export const signatureLifetimeSecondsMax = 300

/** How far the clocks of signer and verifier may differ. */
export const clockSkewSecondsMax = 60

/**
 * The shape of a nonce: at least 22 characters of base64url, base64 or hex, so that 128 random bits fit in. A hex nonce
 * needs 32 characters for as many.
 */
export const noncePattern = /^[A-Za-z0-9+/_-]{22,128}={0,2}$/u

/** The greatest length of a `keyid` that is looked up. */
export const keyidLengthMax = 128

/** What a signed request must carry, in the form of an `Accept-Signature` header (RFC 9421, section 5.1). */
export const acceptSignature = `${signatureLabel}=(${coveredComponents
  .map((name) => `"${name}"`)
  .join(" ")});created;expires;keyid;nonce;tag="${signatureTag}"`
