import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { sha256 } from "./sha256.ts"
import { signatureProblem, type SignatureProblem } from "./SignatureProblem.ts"

/** The `Content-Digest` of a body (RFC 9530), by SHA-256 alone. */
export const contentDigestOf = (body: Uint8Array, hash = sha256): Effect.Effect<string> =>
  Effect.map(hash(body), (digest) => `sha-256=:${Base64.encode(digest)}:`)

/** Reads the SHA-256, base64, of a `Content-Digest` that holds it and nothing else. */
export const readContentDigest = (header: string): Result.Result<string, SignatureProblem> => {
  const digest = /^sha-256=:([A-Za-z0-9+/]{43}=):$/u.exec(header.trim())?.[1]
  return digest === undefined
    ? Result.fail(
        signatureProblem(
          "signature_malformed",
          "Content-Digest must be `sha-256=:<base64 of 32 bytes>:` and nothing else."
        )
      )
    : Result.succeed(digest)
}
