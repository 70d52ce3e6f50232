import { Result } from "effect"
import { keyidLengthMax, noncePattern, signatureAlgorithm, signatureTag } from "./SignatureProfile.ts"
import { signatureProblem, type SignatureProblem } from "./SignatureProblem.ts"

/** What a `Signature-Input` says, its parameters those of the profile. */
export interface SignatureInput {
  readonly label: string
  /** What it covers, each as it is written: `"@path"`. A component with parameters of its own keeps them. */
  readonly components: ReadonlyArray<string>
  /** The covered components and the parameters as they stand in the header: the last line of the signature base. */
  readonly params: string
  readonly keyid: string
  readonly nonce: string
  /** Unix seconds. */
  readonly created: number
  /** Unix seconds. */
  readonly expires: number
}

const key = "[a-z*][a-z0-9_.*-]*"
/** A string of a structured field; the profile needs none that must be escaped. */
const string = String.raw`"[\x20\x21\x23-\x5b\x5d-\x7e]*"`
const integer = "(?:0|-?[1-9][0-9]{0,14})"
const item = `${string}(?:;${key}(?:=(?:${string}|${integer}))?)*`
const parameter = `;${key}=(?:${string}|${integer})`

/** A dictionary of one member, an inner list, in the one form in which RFC 8941 writes it. */
const whole = new RegExp(`^(${key})=(\\(((?:${item}(?: ${item})*)?)\\)((?:${parameter})*))$`, "u")
const eachItem = new RegExp(item, "gu")
const eachParameter = new RegExp(`;(${key})=(${string}|${integer})`, "gu")

const malformed = (message: string) => signatureProblem("signature_malformed", message)

const readParameters = (text: string): Result.Result<ReadonlyMap<string, string>, SignatureProblem> => {
  const found = new Map<string, string>()
  for (const [, name = "", value = ""] of text.matchAll(eachParameter)) {
    if (found.has(name)) return Result.fail(malformed(`Signature-Input gives \`${name}\` twice.`))
    found.set(name, value)
  }
  return Result.succeed(found)
}

const known: ReadonlySet<string> = new Set(["created", "expires", "keyid", "nonce", "tag", "alg"])

const textOf = (value: string | undefined): string | undefined => /^"(.*)"$/u.exec(value ?? "")?.[1]

const secondsOf = (value: string | undefined): number | undefined =>
  value !== undefined && /^[0-9]+$/u.test(value) ? Number(value) : undefined

/**
 * Reads a `Signature-Input` strictly: exactly one label, written as RFC 8941 serialises it, so that no two readers can see
 * two things in it; exactly the parameters of the profile, each once; and its tag. `signature_malformed` otherwise.
 */
export const readSignatureInput = (header: string): Result.Result<SignatureInput, SignatureProblem> =>
  Result.gen(function* () {
    const match = whole.exec(header.trim())
    if (match === null) {
      return yield* Result.fail(
        malformed("Signature-Input must hold exactly one label, with an inner list of strings and its parameters.")
      )
    }
    const [, label = "", params = "", items = "", parameters = ""] = match
    const given = yield* readParameters(parameters)
    for (const name of given.keys()) {
      if (!known.has(name)) return yield* Result.fail(malformed(`The profile has no parameter \`${name}\`.`))
    }
    const created = secondsOf(given.get("created"))
    const expires = secondsOf(given.get("expires"))
    if (created === undefined || expires === undefined) {
      return yield* Result.fail(malformed("`created` and `expires` must be given, in whole Unix seconds."))
    }
    const keyid = textOf(given.get("keyid"))
    if (keyid === undefined || keyid === "" || keyid.length > keyidLengthMax) {
      return yield* Result.fail(malformed("`keyid` must be given: the RFC 7638 thumbprint of the public key."))
    }
    const nonce = textOf(given.get("nonce"))
    if (nonce === undefined || !noncePattern.test(nonce)) {
      return yield* Result.fail(
        malformed("`nonce` must be given: at least 128 random bits as 22 or more characters of base64url.")
      )
    }
    const alg = given.get("alg")
    if (alg !== undefined && textOf(alg) !== signatureAlgorithm) {
      return yield* Result.fail(malformed(`\`alg\` must be left out, or be "${signatureAlgorithm}".`))
    }
    if (textOf(given.get("tag")) !== signatureTag) {
      return yield* Result.fail(malformed(`\`tag\` must be "${signatureTag}".`))
    }
    return { label, components: items.match(eachItem) ?? [], params, keyid, nonce, created, expires }
  })
