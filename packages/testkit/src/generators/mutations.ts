import fc from "fast-check"

/** What JSON can say. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<JsonValue>
  | { readonly [name: string]: JsonValue }

/** Where something stands in a JSON value. */
export type JsonPath = ReadonlyArray<string | number>

/** A JSON value in which one thing was changed, and where. */
export interface Mutated {
  readonly value: JsonValue
  readonly path: JsonPath
}

const isObject = (value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isList = (value: JsonValue | undefined): value is ReadonlyArray<JsonValue> => Array.isArray(value)

/** The places of a value, its root left out. */
const pathsOf = (value: JsonValue, at: JsonPath = []): ReadonlyArray<JsonPath> => {
  const inner: ReadonlyArray<readonly [string | number, JsonValue]> = isList(value)
    ? value.map((one, index) => [index, one] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  return inner.flatMap(([key, one]) => [[...at, key], ...pathsOf(one, [...at, key])])
}

const read = (value: JsonValue, path: JsonPath): JsonValue => {
  let found: JsonValue | undefined = value
  for (const key of path) {
    found = isList(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined
  }
  return found ?? null
}

/** A copy with something else at a place; `undefined` leaves the place out. */
const write = (value: JsonValue, [key, ...rest]: JsonPath, content: JsonValue | undefined): JsonValue => {
  if (key === undefined) return content ?? null
  const child = (old: JsonValue | undefined) => (rest.length === 0 ? content : write(old ?? null, rest, content))
  if (isList(value)) {
    return value.flatMap((old, index) => {
      const now = index === key ? child(old) : old
      return now === undefined ? [] : [now]
    })
  }
  if (!isObject(value)) return value
  const now = child(value[String(key)])
  const others = Object.entries(value).filter(([name]) => name !== key)
  return Object.fromEntries(now === undefined ? others : [...others, [String(key), now]])
}

/** Values of other types and sizes, and numbers at their limits. */
const oddities: ReadonlyArray<JsonValue> = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 53, 1e308, "", " ", "0", "1", "-1", "1e3", "NaN", "0x", "0x0", "0x00", "0x1"],
  ...["0x01", "-0x1", "0X1", "0xg", `0x${"f".repeat(13)}`, `0x${"f".repeat(16)}`, `0x${"f".repeat(64)}`],
  ...[`0x${"f".repeat(65)}`, `0x${"0".repeat(40)}`, `0x${"0".repeat(64)}`, "9".repeat(400), "x".repeat(20_000)],
  ...[[], {}, [null], [[]], { length: 3 }, { constructor: null }]
]

const change = (root: JsonValue, path: JsonPath, other: JsonPath, kind: number, odd: JsonValue): JsonValue => {
  const here = read(root, path)
  switch (kind) {
    case 0:
      return write(root, path, undefined)
    case 1:
      return write(root, path, read(root, other))
    case 2:
      return isList(here) ? write(root, path, here.toReversed()) : write(root, path, [here])
    case 3:
      return isList(here) ? write(root, path, [...here, ...here]) : write(root, path, { value: here })
    case 4:
      return isObject(here) ? write(root, path, { ...here, removed: true, extra: odd }) : write(root, path, odd)
    case 5:
      return typeof here === "string" ? write(root, path, here.toUpperCase()) : write(root, path, String(odd))
    case 6:
      return typeof here === "string" && here.length > 2
        ? write(root, path, `${here.slice(0, -1)}${here.endsWith("1") ? "2" : "1"}`)
        : write(root, path, odd)
    default:
      return write(root, path, odd)
  }
}

/** The least that a value can be changed by and still be of its type: a number by one, a text by its last character. */
const nudged = (here: JsonValue): JsonValue | undefined => {
  if (typeof here === "number") return here + 1
  if (typeof here === "boolean") return !here
  return typeof here === "string" && here !== "" ? `${here.slice(0, -1)}${here.endsWith("1") ? "2" : "1"}` : undefined
}

/** Every place of a value once left out and, where it has a text, a number or a truth, once changed the least. */
export const leastMutations = (value: JsonValue): ReadonlyArray<Mutated> =>
  pathsOf(value).flatMap((path) => {
    const other = nudged(read(value, path))
    const without = { path, value: write(value, path, undefined) }
    return other === undefined ? [without] : [without, { path, value: write(value, path, other) }]
  })

/**
 * A value with one thing changed somewhere: left out, repeated, turned round, put where another stands, or made something of another
 * type or size.
 */
export const mutationOf = (value: JsonValue): fc.Arbitrary<Mutated> => {
  const paths = pathsOf(value)
  return fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom(...paths), fc.nat({ max: 9 }), fc.constantFrom(...oddities))
    .map(([path, other, kind, odd]) => ({ path, value: change(value, path, other, kind, odd) }))
}

/** Checks a property of so many mutations of a value. A failure prints its seed and the smallest case. */
export const checkMutations = (
  value: JsonValue,
  runs: number,
  property: (mutated: Mutated) => Promise<void>
): Promise<void> => fc.assert(fc.asyncProperty(mutationOf(value), property), { numRuns: runs })

/** Most bytes that one edit takes out, or puts in. */
const editBytesMax = 8

/** Bytes of which some were left out at one place, and others put there. */
const editOf = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: editBytesMax }), fc.uint8Array({ maxLength: editBytesMax }))
    .map(([from, length, put]) => Uint8Array.of(...bytes.subarray(0, from), ...put, ...bytes.subarray(from + length)))

/** Checks a property of so many edits of bytes. A failure prints its seed and the smallest case. */
export const checkEdits = (
  bytes: Uint8Array,
  runs: number,
  property: (edited: Uint8Array) => Promise<void>
): Promise<void> => fc.assert(fc.asyncProperty(editOf(bytes), property), { numRuns: runs })
