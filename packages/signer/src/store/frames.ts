import { createHash } from "node:crypto"

/** What a file of entries begins with. */
export const magic = Buffer.from("BRSSGN01")

const lengthBytes = 4
const hashBytes = 32
const headBytes = lengthBytes + hashBytes

/** The longest entry: a transaction with all its requests takes a hundredth of it. */
export const payloadMax = 16 * 2 ** 20

/** What the first frame is chained to. */
export const firstChain: Buffer = createHash("sha256").update(magic).digest()

const chained = (previous: Uint8Array, payload: Uint8Array): Buffer =>
  createHash("sha256").update(previous).update(payload).digest()

/**
 * A payload with its length, and a checksum over it and all before it; and the checksum that the next one continues. A payload does not end in a zero: that is
 * how a reader knows one of which only a part was written.
 */
export const frame = (previous: Uint8Array, payload: Uint8Array) => {
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(payload.length)
  const chain = chained(previous, payload)
  return { bytes: Buffer.concat([length, chain, payload]), chain }
}

/** A payload, and where it stands in the file. */
export interface Framed {
  readonly payload: Buffer
  readonly offset: number
}

/** What stands in a file: whole frames, and how it ends. */
export interface ReadFrames {
  readonly frames: ReadonlyArray<Framed>
  /** Where the next frame goes: what stands behind it was never finished, and nobody has seen its signature. */
  readonly end: number
  readonly chain: Buffer
  /** Why the file cannot be relied on; undefined where it can. */
  readonly fault: string | undefined
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0)

/** Whether what looks like an unfinished end begins with a whole entry: then its length was changed, and others may stand behind it. */
const beginsWhole = (chain: Uint8Array, rest: Buffer): boolean => {
  const checksum = rest.subarray(lengthBytes, headBytes)
  const hash = createHash("sha256").update(chain)
  for (let at = headBytes; at < rest.length; at += 1) {
    hash.update(rest.subarray(at, at + 1))
    if (hash.copy().digest().equals(checksum)) return true
  }
  return false
}

/**
 * Reads the frames of a file. A tail that ends too early, or of which only a part was written (zeros to the end), was cut by a crash and is left out. Anything
 * else that does not fit its checksum is a fault: something was changed, or lost.
 */
export const readFrames = (file: Buffer): ReadFrames => {
  const frames: Array<Framed> = []
  let [at, chain] = [magic.length, firstChain]
  const ended = (fault?: string): ReadFrames => ({ frames, end: at, chain, fault })
  if (!file.subarray(0, magic.length).equals(magic)) {
    at = 0
    // a crash in the moment in which it was made may leave a part of the beginning, or its length with nothing in it
    return file.length <= magic.length && file.every((byte, index) => byte === 0 || byte === magic[index])
      ? ended()
      : ended("it does not begin as a store does")
  }
  while (at < file.length) {
    const rest = file.subarray(at)
    if (isBlank(rest) || rest.length < headBytes) return ended()
    const length = rest.readUInt32BE(0)
    if (length > payloadMax) return ended(`the entry at byte ${at} has an impossible length`)
    if (rest.length < headBytes + length)
      return beginsWhole(chain, rest) ? ended(`the length of the entry at byte ${at} was changed`) : ended()
    const payload = rest.subarray(headBytes, headBytes + length)
    const next = chained(chain, payload)
    if (!next.equals(rest.subarray(lengthBytes, headBytes)))
      // a crash may leave the length that was to be written with only a part of it: no payload ends in zeros, which hold to the end then
      return isBlank(rest.subarray(headBytes + length - 1)) ? ended() : ended(`the entry at byte ${at} was changed`)
    frames.push({ payload, offset: at })
    at += headBytes + length
    chain = next
  }
  return ended()
}

/** Where the payload of a frame begins, from where the frame does. */
export const payloadAt = (offset: number): number => offset + headBytes

/** How many bytes the head of a frame says that its payload has. */
export const lengthOf = (head: Buffer): number => head.readUInt32BE(0)
