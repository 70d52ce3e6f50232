import { readFileSync } from "node:fs"

/** The name of a JSON type, several with a bar between them, `link` or `@kind`; a list of one shape; or fields by their names. */
export type Shape = string | readonly [Shape] | { readonly [name: string]: Shape }

/** How a node answers: by the kind of the answer. */
export type Shapes = Readonly<Record<string, Shape>>

// Written by hand from what the file itself names as its source.
const { shapes: read } = JSON.parse(readFileSync(new URL("../recorded/shapes.json", import.meta.url), "utf8")) as {
  readonly shapes: Shapes
}

/** The shapes of what Horizon and Stellar RPC answer. */
export const shapes: Shapes = read

const link: Shape = { href: "string", "templated?": "boolean" }

/** A shape, or what it is the name of. */
const resolved = (shape: Shape): Shape => {
  if (shape === "link") return link
  return typeof shape === "string" && shape.startsWith("@") ? shapeOf(shape.slice(1)) : shape
}

/** The shape of a kind of answer. */
export const shapeOf = (kind: string): Shape => {
  const shape = shapes[kind]
  if (shape === undefined) throw new Error(`no shape of ${kind} is recorded`)
  return shape
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "list" : typeof value
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

/** How an answer differs from a shape: fields that are missing, unknown, or of another type. Nothing where it does not. */
export const differences = (named: Shape, value: unknown, at = ""): ReadonlyArray<string> => {
  const shape = resolved(named)
  const here = (name: string | number) => (at === "" ? String(name) : `${at}.${name}`)
  const type = typeOf(value)
  if (typeof shape === "string") return shape.split("|").includes(type) ? [] : [`${at}: ${type}`]
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at}: ${type}`]
    return value.flatMap((one: unknown, index) => differences(shape[0], one, here(index)))
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: ${type}`]
  const told = new Map<string, unknown>(Object.entries(value))
  const known = new Map(Object.entries(shape).map(([name, of]) => [name.replace(/\?$/u, ""), { name, of }]))
  return [
    ...[...known].flatMap(([field, { name, of }]) => {
      if (told.has(field)) return differences(of, told.get(field), here(field))
      return name.endsWith("?") ? [] : [`${here(field)}: missing`]
    }),
    ...[...told.keys()].filter((field) => !known.has(field)).map((field) => `${here(field)}: unknown`)
  ]
}

/** The fields that a shape leaves open and none of the answers has; those of other kinds inside are theirs. */
export const neverTold = (named: Shape, values: ReadonlyArray<unknown>, at = ""): ReadonlyArray<string> => {
  if (typeof named === "string" && named.startsWith("@")) return []
  const shape = resolved(named)
  if (typeof shape === "string") return []
  if (isList(shape)) {
    const all = values.flatMap((value): ReadonlyArray<unknown> => (Array.isArray(value) ? value : []))
    return all.length === 0 ? [] : neverTold(shape[0], all, `${at}[]`)
  }
  return Object.entries(shape).flatMap(([name, of]) => {
    const field = name.replace(/\?$/u, "")
    const here = at === "" ? field : `${at}.${field}`
    const told = values.flatMap((value): ReadonlyArray<unknown> =>
      typeof value === "object" && value !== null && field in value ? [Reflect.get(value, field)] : []
    )
    // A link is templated by its address, which is no matter of what stands in it.
    if (told.length === 0) return field === "templated" ? [] : [here]
    return neverTold(of, told, here)
  })
}
