import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { readContentDigest } from "./contentDigest.ts"
import { readSignatureInput, type SignatureInput } from "./SignatureInput.ts"
import { signatureProblem, type SignatureProblem } from "./SignatureProblem.ts"

/** The headers that make a request a signed one. */
export interface SignatureHeaders {
  readonly "content-digest": string
  readonly "signature-input": string
  readonly signature: string
}

/** A header of a request by its lower-case name; several of one name joined with a comma. */
export type HeaderLookup = (name: string) => string | undefined

/** What the headers of a signed request say. */
export interface ReadHeaders {
  readonly input: SignatureInput
  /** 64 bytes. */
  readonly signature: Uint8Array
  /** The SHA-256 of the body, base64, as the request claims it. */
  readonly digest: string
}

const readSignature = (header: string, label: string): Result.Result<Uint8Array, SignatureProblem> => {
  const malformed = () =>
    Result.fail(
      signatureProblem(
        "signature_malformed",
        `Signature must be \`${label}=:<base64 of 64 bytes>:\`, under the label of Signature-Input and no other.`
      )
    )
  const start = `${label}=:`
  const base64 = header.trim().slice(start.length, -1)
  if (header.trim() !== `${start}${base64}:` || !/^[A-Za-z0-9+/]{86}==$/u.test(base64)) return malformed()
  return Result.match(Base64.decode(base64), {
    onFailure: malformed,
    // Base64 with bits to spare could be written in several ways.
    onSuccess: (bytes) => (Base64.encode(bytes) === base64 ? Result.succeed(bytes) : malformed())
  })
}

/** Reads the three headers of a signed request: `signature_missing` where one is absent, else `signature_malformed`. */
export const readSignatureHeaders = (header: HeaderLookup): Result.Result<ReadHeaders, SignatureProblem> =>
  Result.gen(function* () {
    const given = ["signature-input", "signature", "content-digest"].map((name) => header(name)?.trim() ?? "")
    const [signatureInput = "", signature = "", contentDigest = ""] = given
    if (given.includes("")) {
      return yield* Result.fail(
        signatureProblem("signature_missing", "A signed request carries Signature-Input, Signature and Content-Digest.")
      )
    }
    const input = yield* readSignatureInput(signatureInput)
    return {
      input,
      signature: yield* readSignature(signature, input.label),
      digest: yield* readContentDigest(contentDigest)
    }
  })
