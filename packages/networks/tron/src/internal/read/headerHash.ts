import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js"

/** The fields of `BlockHeader.raw` by their number in the protocol (core/Tron.proto), in that order. */
const fields = [
  { name: "timestamp", tag: 0x08, kind: "number" },
  { name: "txTrieRoot", tag: 0x12, kind: "bytes" },
  { name: "parentHash", tag: 0x1a, kind: "bytes" },
  { name: "number", tag: 0x38, kind: "number" },
  { name: "witness_id", tag: 0x40, kind: "number" },
  { name: "witness_address", tag: 0x4a, kind: "bytes" },
  { name: "version", tag: 0x50, kind: "number" },
  { name: "accountStateRoot", tag: 0x5a, kind: "bytes" }
] as const

const names: ReadonlySet<string> = new Set(fields.map(({ name }) => name))

const heightChars = 16

const varint = (value: bigint): ReadonlyArray<number> =>
  value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)]

const encoded = (kind: "number" | "bytes", tag: number, value: unknown): Uint8Array | undefined => {
  if (kind === "number") {
    if (typeof value !== "bigint" && !(typeof value === "number" && Number.isSafeInteger(value))) return undefined
    return value < 0 ? undefined : Uint8Array.of(tag, ...varint(BigInt(value)))
  }
  if (typeof value !== "string" || !/^(?:[0-9a-f]{2})+$/u.test(value)) return undefined
  const bytes = hexToBytes(value)
  return concatBytes(Uint8Array.of(tag, ...varint(BigInt(bytes.length))), bytes)
}

/**
 * Whether a header gives the id of its block: the height in 8 bytes, then the last 24 bytes of the hash of the header. Undefined
 * when that cannot be told, because the header has a field that the protocol did not have when this was written.
 */
export const headerGives = (blockId: string, rawData: object): boolean | undefined => {
  if (Object.keys(rawData).some((name) => !names.has(name))) return undefined
  const parts: Array<Uint8Array> = []
  for (const { kind, name, tag } of fields) {
    const value: unknown = Reflect.get(rawData, name)
    // Zero is the default of the protocol and has no bytes.
    if (value === undefined || value === 0 || value === "") continue
    const bytes = encoded(kind, tag, value)
    if (bytes === undefined) return false
    parts.push(bytes)
  }
  return bytesToHex(sha256(concatBytes(...parts))).slice(heightChars) === blockId.slice(heightChars)
}
