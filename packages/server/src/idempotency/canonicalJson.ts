import { hash } from "node:crypto"
import canonicalize from "canonicalize"

const textProblem = (text: string): string | undefined =>
  text.includes("\u0000")
    ? "A text holds a NUL character."
    : text.isWellFormed()
      ? undefined
      : "A text holds half a surrogate pair."

/** Where a text is in a body that cannot be stored, and why. */
export interface UnstorableText {
  readonly path: string
  readonly message: string
}

/**
 * The place and the reason of a text that cannot be stored or hashed: one that holds a NUL or half of a surrogate pair.
 * Undefined where all of them can.
 */
export const unstorableText = (body: unknown): UnstorableText | undefined => {
  // a list of its own instead of recursion: values can be nested thousands deep
  const left: Array<readonly [value: unknown, path: string]> = [[body, "body"]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [value, path] = next
    if (typeof value === "string") {
      const message = textProblem(value)
      if (message !== undefined) return { path, message }
    } else if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value)
      const unnamed = entries.map(([key]) => textProblem(key)).find((problem) => problem !== undefined)
      if (unnamed !== undefined) return { path, message: unnamed }
      for (const [key, inner] of entries.toReversed()) left.push([inner, `${path}.${key}`])
    }
  }
  return undefined
}

/** What may stand for a NUL or half of a surrogate pair in a JSON text, which holds neither itself. */
const suspicious = /\\u(?:0000|d[89a-f])/iu

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** As `unstorableText`, of a body as it came. What is no JSON is for its decoder to refuse. */
export const unstorableJson = (json: string): UnstorableText | undefined =>
  suspicious.test(json) ? unstorableText(parsed(json)) : undefined

/** JSON in the canonical form of RFC 8785: the same value has the same bytes, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new Error("the value has no JSON form")
  return text
}

/** What an idempotency key is bound to: SHA-256 over method, path and canonical body, hex. */
export const fingerprintOf = (method: string, path: string, body: unknown): string =>
  hash("sha256", `${method} ${path}\n${canonicalJson(body)}`, "hex")
