/** What an answer is made of. Whole numbers of 64 bits are written with all their digits. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | undefined
  | ReadonlyArray<Json>
  | { readonly [key: string]: Json }

/** An object of JSON. */
export type JsonObject = { readonly [key: string]: Json }

/** In ECMAScript 2026, and in Node since 21; the library's types do not know it yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

/** Writes JSON with bigints as numbers. */
export const stringify = (value: Json): string =>
  JSON.stringify(value, (_key, entry: unknown) => (typeof entry === "bigint" ? rawJSON(entry.toString()) : entry))

/** Reads an object of JSON, with whole numbers as exact as they are written; undefined when it is none. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  // As above: the third argument has the digits as they are written.
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?[0-9]+$/u.test(context?.source ?? "")
      ? BigInt(context?.source ?? "")
      : value
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text, revive)
    // An object of JSON has fields of any kind.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

/** A field that is an object, or undefined. */
export const objectIn = (value: unknown, name: string): Readonly<Record<string, unknown>> | undefined => {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  // As above.
  return typeof field === "object" && field !== null ? (field as Readonly<Record<string, unknown>>) : undefined
}

/** A whole number of 64 bits, written as a number or a text; 0 where there is none, undefined when it is no such number. */
export const int64Of = (value: unknown): bigint | undefined => {
  if (value === undefined || value === null || value === "") return 0n
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? value : undefined
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === "string" && /^-?[0-9]{1,19}$/u.test(value) ? int64Of(BigInt(value)) : undefined
}

/** A text of hexadecimal bytes in lower case; empty where there is none, undefined when it is no such text. */
export const hexTextOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return ""
  if (typeof value !== "string") return undefined
  const hex = value.replace(/^0x/u, "").toLowerCase()
  return /^(?:[0-9a-f]{2})*$/u.test(hex) ? hex : undefined
}

/** A text in the hexadecimal form in which the node writes what it has to say. */
export const inHex = (text: string): string => Buffer.from(text, "utf8").toString("hex")
