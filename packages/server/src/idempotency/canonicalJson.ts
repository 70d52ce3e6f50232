import { hash } from "node:crypto"
import canonicalize from "canonicalize"

const textProblem = (text: string): string | undefined =>
  text.includes("\u0000")
    ? "A text holds a NUL character."
    : text.isWellFormed()
      ? undefined
      : "A text holds half a surrogate pair."

/**
 * The place and the reason of a text that cannot be stored or hashed: one that holds a NUL or half of a surrogate pair.
 * Undefined where all of them can.
 */
export const unstorableText = (
  value: unknown,
  path = "body"
): { readonly path: string; readonly message: string } | undefined => {
  if (typeof value === "string") {
    const message = textProblem(value)
    return message === undefined ? undefined : { path, message }
  }
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = unstorableText(inner, `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** JSON in the canonical form of RFC 8785: the same value has the same bytes, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new Error("the value has no JSON form")
  return text
}

/** What an idempotency key is bound to: SHA-256 over method, path and canonical body, hex. */
export const fingerprintOf = (method: string, path: string, body: unknown): string =>
  hash("sha256", `${method} ${path}\n${canonicalJson(body)}`, "hex")
