/** What a document is made of. Amounts stand in it as texts; numbers are whole and small. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Plain>
  | { readonly [key: string]: Plain | undefined }

const byCodeUnits = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

// `Array.isArray` does not narrow a readonly array
const isList = (value: Plain): value is ReadonlyArray<Plain> => Array.isArray(value)

/**
 * The one writing of a value, as JSON: RFC 8785 for whole numbers. No white space, members in the order of their names, nothing left out
 * but members without a value. Throws for a number that is not whole or not safe, and for half a surrogate pair.
 */
export const canonicalJson = (value: Plain): string => {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new Error("a text holds half a surrogate pair")
    return JSON.stringify(value)
  }
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new Error("a number of a document is whole")
    return String(value)
  }
  if (value === null || typeof value === "boolean") return String(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`
  const members = Object.entries(value)
    .toSorted(byCodeUnits)
    .flatMap(([key, inner]) => (inner === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(inner)}`]))
  return `{${members.join(",")}}`
}
