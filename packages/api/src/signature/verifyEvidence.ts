import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { contentDigestOf } from "./contentDigest.ts"
import { importPublicKey, type KeyUnreadable, type PublicJwk, thumbprint, verifyEd25519 } from "./Ed25519.ts"
import { sha256 } from "./sha256.ts"
import { readSignatureInput } from "./SignatureInput.ts"
import { type CoveredComponent, coveredComponents } from "./SignatureProfile.ts"

/** What is kept of a signed request, so that it can be verified again by somebody who never saw it. */
export interface SignatureEvidence {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyid: string
  /** The text that was signed. */
  readonly signatureBase: string
  /** The signature, base64. */
  readonly signature: string
  /** The body byte for byte, base64. */
  readonly body: string
}

/** What a verified piece of evidence proves that its signer asked for. */
export interface ProvenRequest {
  /** The value of each component as it was signed, such as `/v1/chain-payouts` for `@path`. */
  readonly components: Readonly<Record<CoveredComponent, string>>
  /** The body, which is the one that the signature covers. */
  readonly body: Uint8Array
  /** When it was signed by the signer's own clock, in Unix seconds. */
  readonly created: number
}

/** What proves evidence: hashes and signatures. */
export interface EvidenceProof {
  readonly sha256: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
  /** Whether a signature is that of the key over these bytes. */
  readonly verify: (
    key: Pick<PublicJwk, "x">,
    signature: Uint8Array,
    text: Uint8Array
  ) => Effect.Effect<boolean, KeyUnreadable>
}

/** Proves evidence in any runtime that has Web Crypto. */
export const webProof: EvidenceProof = {
  sha256,
  verify: (jwk, signature, text) => Effect.flatMap(importPublicKey(jwk), (key) => verifyEd25519(key, signature, text))
}

const lastLine = `"@signature-params": `

/** What a signature base says. */
type ReadBase = Pick<ProvenRequest, "components" | "created">

const readBase = (base: string): ReadBase | undefined => {
  const lines = base.split("\n")
  const params = lines.pop() ?? ""
  if (!params.startsWith(lastLine)) return undefined
  const input = Result.getOrUndefined(readSignatureInput(`sig=${params.slice(lastLine.length)}`))
  if (input === undefined || input.components.length !== coveredComponents.length) return undefined
  const values = new Map(
    input.components.map((name, index) => {
      const line = lines[index] ?? ""
      return [name.slice(1, -1), line.startsWith(`${name}: `) ? line.slice(name.length + 2) : ""] as const
    })
  )
  const found = coveredComponents.map((name) => [name, values.get(name) ?? ""] as const)
  if (lines.length !== coveredComponents.length || found.some(([, value]) => value === "")) return undefined
  // each component of the profile was found above
  return { components: Object.fromEntries(found) as Record<CoveredComponent, string>, created: input.created }
}

/** How many bases are remembered: more than requests are signed for at once. */
const rememberedMax = 256

/** The longest that is remembered, in characters: several times what a usual one has. */
const rememberedLengthMax = 4_096

const remembered = new Map<string, ReadBase>()

/**
 * The components of a signature base, and when it was made; undefined where it is not one of the profile. It proves nothing by itself. A signer
 * reads the base of a request three times before it signs, so the last are remembered, each by its whole text.
 */
export const readSignatureBase = (base: string): ReadBase | undefined => {
  const there = remembered.get(base)
  if (there !== undefined) return there
  const read = readBase(base)
  if (read === undefined || base.length > rememberedLengthMax) return read
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(base, read)
  return read
}

/**
 * Verifies a stored signature once more: that it is the given key's, over a base of the profile, which covers this very
 * body. Undefined where any of it is not so. `by` proves it, Web Crypto where it is absent. Times are not looked at: what was in time when it came stays good.
 */
export const verifyEvidence = Effect.fnUntraced(function* (
  evidence: SignatureEvidence,
  publicJwk: Pick<PublicJwk, "x">,
  by: EvidenceProof = webProof
): Effect.fn.Return<ProvenRequest | undefined, KeyUnreadable> {
  const base = readSignatureBase(evidence.signatureBase)
  const signature = Result.getOrUndefined(Base64.decode(evidence.signature))
  const body = Result.getOrUndefined(Base64.decode(evidence.body))
  if (base === undefined || signature === undefined || body === undefined) return undefined
  if (evidence.keyid !== (yield* thumbprint(publicJwk, by.sha256))) return undefined
  const { components, created } = base
  if (components["content-digest"] !== (yield* contentDigestOf(body, by.sha256))) return undefined
  const signed = yield* by.verify(publicJwk, signature, new TextEncoder().encode(evidence.signatureBase))
  return signed ? { components, body, created } : undefined
})
