/** Reads forward through bytes. Every step beyond their end throws a `RangeError`. */
interface Cursor {
  readonly at: () => number
  readonly skip: (bytes: number) => void
  /** How many things follow; no list is longer than the bytes that are left. */
  readonly count: () => number
}

const cursorOf = (bytes: Uint8Array): Cursor => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const skip = (length: number): void => {
    if (length > bytes.length - at) throw new RangeError("the bytes end too early")
    at += length
  }
  return {
    at: () => at,
    skip,
    count: () => {
      const first = view.getUint8(at)
      const width = first < 0xfd ? 0 : first === 0xfd ? 2 : first === 0xfe ? 4 : 8
      const from = at + 1
      skip(1 + width)
      if (width === 0) return first
      if (width === 2) return view.getUint16(from, true)
      return width === 4 ? view.getUint32(from, true) : Number(view.getBigUint64(from, true))
    }
  }
}

/** Skips a list, thing by thing; gives how many there were. */
const skipList = ({ count }: Cursor, skipOne: () => void): number => {
  const length = count()
  for (let index = 0; index < length; index++) skipOne()
  return length
}

const hashAndPlaceBytes = 36
const sequenceBytes = 4
const valueBytes = 8
const versionBytes = 4
const lockTimeBytes = 4
const headerBytes = 80

/** The parts of the transaction under the cursor, in order, without marker, flag and witness (BIP 144). */
const partsOf = (bytes: Uint8Array, cursor: Cursor): ReadonlyArray<Uint8Array> => {
  const skipBytes = () => cursor.skip(cursor.count())
  const start = cursor.at()
  cursor.skip(versionBytes)
  const version = bytes.subarray(start, cursor.at())
  const marked = bytes[cursor.at()] === 0x00 && bytes[cursor.at() + 1] === 0x01
  if (marked) cursor.skip(2)
  const from = cursor.at()
  const inputs = skipList(cursor, () => {
    cursor.skip(hashAndPlaceBytes)
    skipBytes()
    cursor.skip(sequenceBytes)
  })
  skipList(cursor, () => {
    cursor.skip(valueBytes)
    skipBytes()
  })
  const body = bytes.subarray(from, cursor.at())
  if (marked) for (let input = 0; input < inputs; input++) skipList(cursor, skipBytes)
  const end = cursor.at()
  cursor.skip(lockTimeBytes)
  return [version, body, bytes.subarray(end, cursor.at())]
}

const whole = (bytes: Uint8Array, cursor: Cursor, parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  if (cursor.at() !== bytes.length) throw new RangeError("bytes are left over")
  return Uint8Array.from(Buffer.concat(parts))
}

/** A transaction as its id covers it: without its witness. Throws a `RangeError` where the bytes are none. */
export const transactionWithoutWitness = (bytes: Uint8Array): Uint8Array => {
  const cursor = cursorOf(bytes)
  return whole(bytes, cursor, partsOf(bytes, cursor))
}

/**
 * A block as its header covers it: without the witnesses of its transactions. Throws a `RangeError` where the bytes are none.
 *
 * **Details**
 *
 * Whoever mines a block may fill it with four million witness items of no bytes, valid and each an object once it is decoded: close to a
 * gigabyte and seconds. What is paid, spent and hashed into txids does not depend on them, so they are passed over here.
 */
export const blockWithoutWitness = (bytes: Uint8Array): Uint8Array => {
  const cursor = cursorOf(bytes)
  cursor.skip(headerBytes)
  const count = cursor.count()
  const parts: Array<Uint8Array> = [bytes.subarray(0, cursor.at())]
  for (let index = 0; index < count; index++) parts.push(...partsOf(bytes, cursor))
  return whole(bytes, cursor, parts)
}
