import { bytesToHex, hexToBytes, keccak256 } from "viem"
import type { Log } from "../rpc/wire.ts"

/** The three bits that an address or topic sets (Yellow Paper, 4.3.1), as positions from the right of 2048. */
const bitsOf = (item: string): ReadonlyArray<number> => {
  // Addresses and topics have been matched as hexadecimal.
  const hash = keccak256(hexToBytes(item as `0x${string}`), "bytes")
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
}

/** Makes the bloom filter of logs. */
export type BloomOf = (logs: Iterable<Log>) => string

/** Makes bloom filters, remembering what it has hashed: in a block the same contracts and topics come again and again. */
export const makeBloom = (): BloomOf => {
  const known = new Map<string, ReadonlyArray<number>>()
  const bits = (item: string) => {
    const found = known.get(item)
    if (found !== undefined) return found
    const made = bitsOf(item)
    known.set(item, made)
    return made
  }
  return (logs) => {
    const bloom = new Uint8Array(256)
    for (const { address, topics } of logs) {
      for (const item of [address, ...topics]) {
        for (const bit of bits(item)) {
          const at = 255 - (bit >> 3)
          bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
        }
      }
    }
    return bytesToHex(bloom)
  }
}
