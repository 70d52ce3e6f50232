import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { contentDigestOf } from "./contentDigest.ts"
import { type SignatureCrypto, webCrypto } from "./SignatureCrypto.ts"
import { canonicalAuthority, signatureBase } from "./signatureBase.ts"
import { type HeaderLookup, type ReadHeaders, readSignatureHeaders } from "./signatureHeaders.ts"
import type { SignatureInput } from "./SignatureInput.ts"
import { signatureProblem, type SignatureProblem } from "./SignatureProblem.ts"
import {
  clockSkewSecondsMax,
  type CoveredComponent,
  coveredComponents,
  signatureLifetimeSecondsMax
} from "./SignatureProfile.ts"

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string
  /** The target of the request: the path, and the query if there is one. */
  readonly target: string
  readonly header: HeaderLookup
  /** The body byte for byte, before anything is parsed. */
  readonly body: Uint8Array
}

/** What the verifier needs to be told. */
export interface VerifierOptions<E, R, K = CryptoKey> {
  /** Whether the service is reached under this authority, which is in its canonical form. */
  readonly isOurs: (authority: string) => boolean
  /** The active key of this id that the caller may sign with; undefined where there is none. */
  readonly findKey: (keyid: string) => Effect.Effect<K | undefined, E, R>
  /** Now, in Unix milliseconds. */
  readonly now: number
}

/** A signature that was verified, with what it was made over. */
export interface Verified {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyid: string
  /** The text that was signed. */
  readonly signatureBase: string
  /** The value of each component as it stands in that text. */
  readonly components: Readonly<Record<CoveredComponent, string>>
  /** The signature, base64. */
  readonly signature: string
  readonly nonce: string
  /** The SHA-256 of the body, base64, as covered by the signature. */
  readonly contentDigest: string
  /** Unix seconds. */
  readonly created: number
  /** Unix seconds. */
  readonly expires: number
}

/** What came of a verification: the signature or the first problem, and what a person needs to find the cause. */
export interface Examination {
  readonly outcome: Result.Result<Verified, SignatureProblem>
  /** The key that the request names, if its headers could be read. */
  readonly keyid: string | null
  /** The signature base over what the request covers, if it can be made. */
  readonly signatureBase: string | null
  /** The `Content-Digest` of the bytes received. */
  readonly contentDigest: string
}

type Values = ReadonlyMap<string, string>

const valuesOf = ({ header, method, target }: ReceivedRequest): Values =>
  new Map(
    Object.entries({
      "@method": method.toUpperCase(),
      "@authority": canonicalAuthority(header("host") ?? ""),
      "@path": target.split("?", 1)[0] || "/",
      "idempotency-key": header("idempotency-key")?.trim() ?? "",
      "content-type": header("content-type")?.trim() ?? "",
      "content-digest": header("content-digest")?.trim() ?? ""
    }).map(([name, value]) => [`"${name}"`, value] as const)
  )

/** The base over whatever is covered; undefined where something of it is not there. */
const baseOf = ({ components, params }: SignatureInput, values: Values): string | undefined => {
  const lines = components.map((name) => [name.slice(1, -1), values.get(name) ?? ""] as const)
  return lines.some(([, value]) => value === "") ? undefined : signatureBase(lines, params)
}

const coverageProblem = (
  { components }: SignatureInput,
  values: Values,
  { target }: ReceivedRequest
): SignatureProblem | undefined => {
  const insufficient = (message: string) => signatureProblem("signature_coverage_insufficient", message)
  if (target.includes("?")) {
    return insufficient("A signed request has no query string, since the signature does not cover it.")
  }
  const wanted = coveredComponents.map((name) => `"${name}"`)
  const missing = wanted.filter((name) => !components.includes(name))
  if (missing.length > 0) return insufficient(`The signature must cover ${missing.join(" ")}, too.`)
  if (components.length !== wanted.length)
    return insufficient(`The signature must cover ${wanted.join(" ")} and no more.`)
  const absent = wanted.filter((name) => values.get(name) === "")
  return absent.length > 0
    ? insufficient(`The request does not have ${absent.join(" ")}, which must be covered.`)
    : undefined
}

const timeProblem = ({ created, expires }: SignatureInput, now: number): SignatureProblem | undefined => {
  const expired = (message: string) => signatureProblem("signature_expired", message)
  const seconds = now / 1000
  if (expires <= created) return expired("`expires` must be later than `created`.")
  if (expires > created + signatureLifetimeSecondsMax) {
    return expired(`\`expires\` may be at most ${signatureLifetimeSecondsMax} seconds after \`created\`.`)
  }
  if (created > seconds + clockSkewSecondsMax) return expired("`created` lies in the future; check the clock.")
  if (expires < seconds - clockSkewSecondsMax) return expired("The signature has expired; sign the request again.")
  return undefined
}

const utf8 = new TextEncoder()

/** What is worked out of a request once, for the checks and for whoever is told of them. */
interface Worked {
  readonly values: Values
  readonly base: string | undefined
  readonly contentDigest: string
}

const examine = Effect.fnUntraced(function* <K, E, R>(
  request: ReceivedRequest,
  { digest, input, signature }: ReadHeaders,
  { base, contentDigest, values }: Worked,
  { findKey, isOurs, now, verify }: VerifierOptions<E, R, K> & Pick<SignatureCrypto<K>, "verify">
): Effect.fn.Return<Result.Result<Verified, SignatureProblem>, E, R> {
  const key = yield* findKey(input.keyid)
  if (key === undefined) {
    return Result.fail(
      signatureProblem("signature_key_unknown", "`keyid` names no active key that is registered for this API key.")
    )
  }
  const early = coverageProblem(input, values, request) ?? timeProblem(input, now)
  if (early !== undefined) return Result.fail(early)
  if (contentDigest !== `sha-256=:${digest}:`) {
    return Result.fail(
      signatureProblem("digest_mismatch", "Content-Digest is not the SHA-256 of the body that was received.")
    )
  }
  const authority = values.get(`"@authority"`) ?? ""
  if (!isOurs(authority)) {
    return Result.fail(
      signatureProblem(
        "signature_invalid",
        `The request came for ${authority}, under which this service is not reached.`
      )
    )
  }
  if (base === undefined || !(yield* verify(key, signature, utf8.encode(base)))) {
    return Result.fail(
      signatureProblem("signature_invalid", "The signature is not that of the named key over this request.")
    )
  }
  const { created, expires, keyid, nonce } = input
  return Result.succeed({
    keyid,
    signatureBase: base,
    // all of them are covered, and nothing else, as was seen above
    components: Object.fromEntries(coveredComponents.map((name) => [name, values.get(`"${name}"`) ?? ""])) as Record<
      CoveredComponent,
      string
    >,
    signature: Base64.encode(signature),
    nonce,
    contentDigest: digest,
    created,
    expires
  })
})

/**
 * Makes what verifies the signature of a request, in this order: headers and tag, key, coverage, times, digest, authority, signature.
 * Whether its nonce is new is for whoever carries the request out to decide, in the same commit.
 */
export const makeVerifyRequest = <K>({ sha256, verify }: SignatureCrypto<K>) =>
  Effect.fnUntraced(function* <E, R>(
    request: ReceivedRequest,
    options: VerifierOptions<E, R, K>
  ): Effect.fn.Return<Examination, E, R> {
    const contentDigest = yield* contentDigestOf(request.body, sha256)
    const read = readSignatureHeaders(request.header)
    if (Result.isFailure(read)) {
      return { outcome: Result.fail(read.failure), keyid: null, signatureBase: null, contentDigest }
    }
    const values = valuesOf(request)
    const base = baseOf(read.success.input, values)
    return {
      outcome: yield* examine(request, read.success, { values, base, contentDigest }, { ...options, verify }),
      keyid: read.success.input.keyid,
      signatureBase: base ?? null,
      contentDigest
    }
  })

/** Verifies the signature of a request, as {@link makeVerifyRequest} says, by Web Crypto. */
export const verifyRequest = makeVerifyRequest(webCrypto)
