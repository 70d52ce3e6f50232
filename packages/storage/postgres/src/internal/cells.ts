import { Predicate } from "effect"

/** A row by column name, as the driver gives it: int8 as bigint, numeric as text, timestamptz as Date, json parsed. */
export type Row = { readonly [column: string]: unknown }

const unexpected = (cell: unknown, wanted: string): never => {
  throw new Error(`the database gave ${typeof cell} where ${wanted} was expected`)
}

/** A text, or any type that the driver gives as text (uuid). */
export const text = (cell: unknown): string => (typeof cell === "string" ? cell : unexpected(cell, "text"))

/** A text or null. */
export const textOrNull = (cell: unknown): string | null => (cell === null ? null : text(cell))

/** An int4 or int8 that is exact as a number. */
export const int = (cell: unknown): number => {
  const value = typeof cell === "bigint" ? Number(cell) : cell
  return typeof value === "number" && Number.isSafeInteger(value) ? value : unexpected(cell, "a safe integer")
}

/** An int or null. */
export const intOrNull = (cell: unknown): number | null => (cell === null ? null : int(cell))

/** Base units: a numeric without decimals. */
export const units = (cell: unknown): bigint => BigInt(text(cell))

/** A moment, in Unix milliseconds. */
export const at = (cell: unknown): number =>
  cell instanceof Date && !Number.isNaN(cell.getTime()) ? cell.getTime() : unexpected(cell, "a moment")

/** A moment or null. */
export const atOrNull = (cell: unknown): number | null => (cell === null ? null : at(cell))

/** A boolean. */
export const flag = (cell: unknown): boolean => (typeof cell === "boolean" ? cell : unexpected(cell, "a boolean"))

/** One of a closed list of texts; the table's CHECK admits no other. */
export const oneOf = <const A extends string>(all: ReadonlyArray<A>, cell: unknown): A => {
  const found = all.find((one) => one === cell)
  return found ?? unexpected(cell, all.join(", "))
}

/**
 * What was stored as json under a type that only our own code writes. What others have made of it is found out by whoever uses it, and not when the row is
 * read: of kinds whose rows are read beside others, lists are read by `texts`, `ints` and `objects`.
 */
export const json = <A>(cell: unknown): A => cell as A // written by `Column` from a value of this very type

/** A json list of texts. */
export const texts = (cell: unknown): ReadonlyArray<string> =>
  Array.isArray(cell) && cell.every(Predicate.isString) ? cell : unexpected(cell, "a list of texts")

/** A json list of whole numbers. */
export const ints = (cell: unknown): ReadonlyArray<number> =>
  Array.isArray(cell) ? cell.map(int) : unexpected(cell, "a list of numbers")

/** A json object, whose fields are read as cells of a row are. */
export const object = (cell: unknown): Row => (Predicate.isReadonlyObject(cell) ? cell : unexpected(cell, "an object"))

/** A json list of objects, each of which is read as a row is. */
export const objects = <A>(cell: unknown, read: (one: Row) => A): ReadonlyArray<A> =>
  Array.isArray(cell) ? cell.map((one) => read(object(one))) : unexpected(cell, "a list of objects")

/**
 * What was stored as a json list, of which others may have made something else: its elements that have the form wanted. For a list of which each element is
 * looked at anyway, so that one of another form does not make the whole record unreadable.
 */
export const list = <A>(cell: unknown, isWanted: (one: unknown) => one is A): ReadonlyArray<A> =>
  Array.isArray(cell) ? cell.filter(isWanted) : []
