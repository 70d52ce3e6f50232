import { canonicalText, type Canonical } from "./canonical.ts"

/**
 * A value that a grant changes, by its path: texts for people, null where it was or will not be there. No two values have one text, and none has that of
 * what is not there: see `shown`.
 */
export interface GrantChange {
  readonly path: string
  readonly from: string | null
  readonly to: string | null
}

/** A text that stands for itself: it looks like no other value, like no sign for nothing, and like no arrow between two values. */
const plain = /^(?!(?:null|true|false)$)[\w:/+-][ -~]*$/iu

/** Any other text stands in quotes, and null in brackets, as no plain text does: in some fonts, "null" and "nuIl" look alike. */
const shown = (value: Canonical): string => {
  if (value === null) return "(null)"
  if (typeof value !== "string") return canonicalText(value)
  return plain.test(value) ? value : JSON.stringify(value)
}

const isObject = (value: Canonical | undefined): value is { readonly [key: string]: Canonical | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What the members of a list are known by, so that taking one away does not show as changes of those behind it. */
const named = (value: Canonical, index: number): string => {
  const id = isObject(value) ? (value["id"] ?? value["credential_id"] ?? value["public_key"]) : value
  return typeof id === "string" ? id : String(index)
}

const flat = (value: Canonical, path: string): ReadonlyArray<readonly [string, string]> => {
  if (Array.isArray(value))
    return value.length === 0
      ? [[path, "[]"]]
      : value.flatMap((one: Canonical, index) => flat(one, `${path}[${named(one, index)}]`))
  if (!isObject(value)) return [[path, shown(value)]]
  return Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : flat(inner, path === "" ? key : `${path}.${key}`)
  )
}

/** What becomes of which value, for people who decide: everything that is not the same before and after, in the order of the paths. */
export const grantDiff = (from: Canonical | undefined, to: Canonical): ReadonlyArray<GrantChange> => {
  const before = new Map(from === undefined ? [] : flat(from, ""))
  const after = new Map(flat(to, ""))
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((path) => ({ path, from: before.get(path) ?? null, to: after.get(path) ?? null }))
    .filter((change) => change.from !== change.to)
}
