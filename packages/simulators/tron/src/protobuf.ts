/** The value of a field: a varint, or bytes in hexadecimal. */
export type Field = { readonly number: number } & (
  | { readonly varint: bigint; readonly bytes?: never }
  | { readonly bytes: string; readonly varint?: never }
)

const varintMask = 0x7fn
const int64 = (value: bigint) => BigInt.asUintN(64, value)

const varintOf = (value: bigint): string => {
  let rest = int64(value)
  let hex = ""
  while (rest > varintMask) {
    hex += Number((rest & varintMask) | 0x80n).toString(16)
    rest >>= 7n
  }
  return hex + Number(rest).toString(16).padStart(2, "0")
}

/** A field of whole numbers; zero, the default, is left out. */
export const number = (field: number, value: bigint): string =>
  value === 0n ? "" : varintOf(BigInt(field) << 3n) + varintOf(value)

/** A field of bytes, given in hexadecimal; none, the default, is left out. */
export const bytes = (field: number, hex: string): string => (hex === "" ? "" : message(field, hex))

/** A field that holds a message, which is there even when it is empty. */
export const message = (field: number, hex: string): string =>
  varintOf((BigInt(field) << 3n) | 2n) + varintOf(BigInt(hex.length / 2)) + hex

/** A field of text. */
export const text = (field: number, value: string): string => bytes(field, Buffer.from(value, "utf8").toString("hex"))

const hexadecimal = /^(?:[0-9a-f]{2})*$/u

/** The fields of a message in hexadecimal, in their order; undefined when it is not well formed. */
export const fieldsOf = (hex: string): ReadonlyArray<Field> | undefined => {
  if (!hexadecimal.test(hex)) return undefined
  const data = Buffer.from(hex, "hex")
  const fields: Array<Field> = []
  let at = 0
  const varint = (): bigint | undefined => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at]
      if (byte === undefined) return undefined
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return int64(value)
    }
    return undefined
  }
  while (at < data.length) {
    const key = varint()
    const kind = key === undefined ? undefined : key & 7n
    const value = varint()
    if (key === undefined || value === undefined) return undefined
    const field = Number(key >> 3n)
    if (kind === 0n) fields.push({ number: field, varint: BigInt.asIntN(64, value) })
    else if (kind === 2n && at + Number(value) <= data.length) {
      fields.push({ number: field, bytes: data.toString("hex", at, at + Number(value)) })
      at += Number(value)
    } else return undefined
  }
  return fields
}

/** The last varint of a field, 0 where there is none. */
export const numberIn = (fields: ReadonlyArray<Field>, field: number): bigint =>
  fields.findLast((entry) => entry.number === field)?.varint ?? 0n

/** The last bytes of a field, none where there are none. */
export const bytesIn = (fields: ReadonlyArray<Field>, field: number): string =>
  fields.findLast((entry) => entry.number === field)?.bytes ?? ""

/** All bytes of a repeated field. */
export const allBytesIn = (fields: ReadonlyArray<Field>, field: number): ReadonlyArray<string> =>
  fields.flatMap((entry) => (entry.number === field && entry.bytes !== undefined ? [entry.bytes] : []))
