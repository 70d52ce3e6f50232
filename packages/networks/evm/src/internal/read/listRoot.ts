import { hexToBytes, keccak256, numberToBytes, toRlp } from "viem"

/** What RLP writes: bytes, and lists of such. */
export type Rlp = Uint8Array | ReadonlyArray<Rlp>

const nothing = new Uint8Array()

// The schema of the wire has matched every text that comes here as hexadecimal.
/** A text of the wire as bytes. */
export const bytes = (text: string): Uint8Array => hexToBytes(text as `0x${string}`)

/** A quantity without leading zeros; zero is nothing. */
export const scalar = (quantity: string): Uint8Array => {
  const value = BigInt(quantity)
  return value === 0n ? nothing : numberToBytes(value)
}

// The encoder only reads the lists, which its type does not say.
/** What is written, as RLP. */
export const rlp = (value: Rlp): Uint8Array => toRlp(value as Uint8Array, "bytes")

interface Item {
  readonly nibbles: ReadonlyArray<number>
  readonly value: Uint8Array
}

/** Nibbles as bytes with the mark of a leaf or an extension (Yellow Paper, appendix C). */
const compact = (nibbles: ReadonlyArray<number>, leaf: boolean): Uint8Array => {
  const odd = nibbles.length % 2
  const flags = (leaf ? 2 : 0) + odd
  const all = odd === 1 ? [flags, ...nibbles] : [flags, 0, ...nibbles]
  return Uint8Array.from({ length: all.length / 2 }, (_, at) => ((all[2 * at] ?? 0) << 4) | (all[2 * at + 1] ?? 0))
}

const sharedLength = (items: ReadonlyArray<Item>, from: number): number => {
  const first = items[0]?.nibbles ?? []
  const differing = first.findIndex((nibble, at) => at >= from && items.some((item) => item.nibbles[at] !== nibble))
  return (differing < 0 ? first.length : differing) - from
}

/** A node of the trie over items whose first `depth` nibbles are the same (Yellow Paper, appendix D). */
const nodeOf = (items: ReadonlyArray<Item>, depth: number): Rlp => {
  const [first] = items
  if (first !== undefined && items.length === 1) return [compact(first.nibbles.slice(depth), true), first.value]
  const shared = sharedLength(items, depth)
  if (first !== undefined && shared > 0) {
    return [compact(first.nibbles.slice(depth, depth + shared), false), reference(nodeOf(items, depth + shared))]
  }
  const branches = Array.from({ length: 16 }, (_, nibble) => {
    const below = items.filter((item) => item.nibbles[depth] === nibble)
    return below.length === 0 ? nothing : reference(nodeOf(below, depth + 1))
  })
  // No key ends here: none of the encoded numbers is the beginning of another.
  return [...branches, nothing]
}

/** How a node stands in its parent: itself when it is short, else its hash. */
const reference = (node: Rlp): Rlp => {
  const encodedNode = rlp(node)
  return encodedNode.length < 32 ? node : keccak256(encodedNode, "bytes")
}

/** The root of the trie of a list of a block, of at least one, by which its header names it: the keys are the places in the list. */
export const listRoot = (values: ReadonlyArray<Uint8Array>): string => {
  const items = values.map((value, index): Item => {
    const key = rlp(index === 0 ? nothing : numberToBytes(index))
    return { nibbles: [...key].flatMap((byte) => [byte >> 4, byte & 15]), value }
  })
  return keccak256(rlp(nodeOf(items, 0)))
}
