/** What a grant is made of: texts, truth values and nothing, in lists and objects. Integers stand in it as decimal texts. */
export type Canonical =
  | string
  | boolean
  | null
  | ReadonlyArray<Canonical>
  | { readonly [key: string]: Canonical | undefined }

const byCodeUnits = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

/**
 * The one writing of a value: JSON after RFC 8785 (JCS). Without numbers the rules come to three: no white space, keys in the
 * order of their UTF-16 code units, and texts as ECMAScript writes them. A key without a value is left out. Throws for a text with half
 * a surrogate pair, which has no bytes.
 */
export const canonicalText = (value: Canonical): string => {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new Error("a text holds half a surrogate pair")
    return JSON.stringify(value)
  }
  if (value === null || typeof value === "boolean") return String(value)
  if (isList(value)) return `[${value.map(canonicalText).join(",")}]`
  const members = Object.entries(value)
    .toSorted(byCodeUnits)
    .flatMap(([key, inner]) => (inner === undefined ? [] : [`${canonicalText(key)}:${canonicalText(inner)}`]))
  return `{${members.join(",")}}`
}

// `Array.isArray` does not narrow a readonly array
const isList = (value: Canonical): value is ReadonlyArray<Canonical> => Array.isArray(value)
