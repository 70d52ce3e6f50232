import { hash } from "node:crypto"
import { type UnstorableText, unstorableText } from "@bursar/core/base/unstorableText"
import canonicalize from "canonicalize"

/** What may stand for a NUL or half of a surrogate pair in a JSON text, which holds neither itself. */
const suspicious = /\\u(?:0000|d[89a-f])/iu

/** What a text says as JSON; undefined where it is none, which is for its decoder to refuse. */
export const jsonIn = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** As `unstorableText`, of a body of JSON as it came. What is no JSON is for its decoder to refuse. */
export const unstorableJson = (json: string, anyTextAt: RegExp | null): UnstorableText | undefined =>
  suspicious.test(json) ? unstorableText(jsonIn(json), "body", anyTextAt) : undefined

/** JSON in the canonical form of RFC 8785: the same value has the same bytes, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new Error("the value has no JSON form")
  return text
}

/** What an idempotency key is bound to: SHA-256 over method, path and canonical body, hex. */
export const fingerprintOf = (method: string, path: string, body: unknown): string =>
  hash("sha256", `${method} ${path}\n${canonicalJson(body)}`, "hex")
