import { concatBytes } from "@noble/hashes/utils.js"

/** A field of a message of protobuf. Only the two kinds exist that transactions are made of. */
export type Field = NumberField | BytesField

interface NumberField {
  readonly number: number
  readonly varint: bigint
}

interface BytesField {
  readonly number: number
  readonly bytes: Uint8Array
}

/** Ten bytes, as nodes read: of the last, what is beyond 64 bits is dropped. */
const varintBitsMax = 70n

const varint = (value: bigint): Uint8Array => {
  const bytes: Array<number> = []
  let rest = value
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Uint8Array.of(...bytes, Number(rest))
}

/** A field of a whole number that is not negative; zero, the default, is left out. */
export const numberField = (field: number, value: bigint): Uint8Array =>
  value === 0n ? new Uint8Array() : concatBytes(varint(BigInt(field) << 3n), varint(value))

/** A field of bytes or of a message, which is there even when it is empty. */
export const bytesField = (field: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(varint((BigInt(field) << 3n) | 2n), varint(BigInt(bytes.length)), bytes)

/**
 * The fields of a message in their order; undefined when it is not well formed or has a kind of field that is not known. Of tags and lengths the
 * lower 32 bits count, as nodes have it.
 */
export const fieldsOf = (message: Uint8Array): ReadonlyArray<Field> | undefined => {
  const fields: Array<Field> = []
  let at = 0
  const read = (): bigint | undefined => {
    let value = 0n
    for (let shift = 0n; shift < varintBitsMax; shift += 7n) {
      const byte = message[at]
      if (byte === undefined) return undefined
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    return undefined
  }
  while (at < message.length) {
    const key = read()
    const value = read()
    if (key === undefined || value === undefined) return undefined
    const tag = Number(BigInt.asUintN(32, key))
    const number = tag >>> 3
    const kind = tag & 7
    const length = Number(BigInt.asUintN(32, value))
    if (number === 0) return undefined
    if (kind === 0) {
      fields.push({ number, varint: value })
    } else if (kind === 2 && message.length - at >= length) {
      fields.push({ number, bytes: message.subarray(at, at + length) })
      at += length
    } else {
      return undefined
    }
  }
  return fields
}

/**
 * The varint of a field, 0 where there is none; of several the last, as protobuf has it. One of the other kind under the same number is
 * an unknown field to protobuf, and is none here.
 */
export const numberIn = (fields: ReadonlyArray<Field>, number: number): bigint =>
  fields.findLast((field): field is NumberField => field.number === number && "varint" in field)?.varint ?? 0n

/** The bytes of a field, none where there are none; of several the last, and of the other kind none, as for {@link numberIn}. */
export const bytesIn = (fields: ReadonlyArray<Field>, number: number): Uint8Array =>
  fields.findLast((field): field is BytesField => field.number === number && "bytes" in field)?.bytes ??
  new Uint8Array()
