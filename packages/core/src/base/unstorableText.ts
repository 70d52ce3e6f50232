import { isStorable } from "./storable.ts"

/** Where a text is that cannot be stored, and why. */
export interface UnstorableText {
  readonly path: string
  readonly message: string
}

const problemOf = (text: string): string | undefined => {
  if (isStorable(text)) return undefined
  return text.includes("\u0000") ? "A text holds a NUL character." : "A text holds half a surrogate pair."
}

/**
 * The place, named from `root` on, and the reason of a text of a value that cannot be stored. Undefined where all of them can. A NUL is passed over
 * at the places of `anyTextAt`.
 */
export const unstorableText = (
  value: unknown,
  root: string,
  anyTextAt: RegExp | null = null
): UnstorableText | undefined => {
  // a list of its own instead of recursion: values can be nested thousands deep
  const left: Array<readonly [value: unknown, path: string]> = [[value, root]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [inner, path] = next
    if (typeof inner === "string") {
      const message = problemOf(anyTextAt?.test(path) === true ? inner.replaceAll("\u0000", "") : inner)
      if (message !== undefined) return { path, message }
    } else if (typeof inner === "object" && inner !== null) {
      const entries = Object.entries(inner)
      const unnamed = entries.map(([key]) => problemOf(key)).find((problem) => problem !== undefined)
      if (unnamed !== undefined) return { path, message: unnamed }
      for (const [key, one] of entries.toReversed()) left.push([one, `${path}.${key}`])
    }
  }
  return undefined
}
