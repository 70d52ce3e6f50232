import { concatBytes, hexToBytes, keccak256, numberToBytes, toRlp } from "viem"
import type { Receipt } from "../rpc/wire.ts"

/** What RLP writes: bytes, and lists of such. */
type Rlp = Uint8Array | ReadonlyArray<Rlp>

const nothing = new Uint8Array()

// The schema of the wire has matched every text that comes here as hexadecimal.
const bytes = (text: string): Uint8Array => hexToBytes(text as `0x${string}`)

/** A quantity without leading zeros; zero is nothing. */
const scalar = (quantity: string): Uint8Array => {
  const value = BigInt(quantity)
  return value === 0n ? nothing : numberToBytes(value)
}

// The encoder only reads the lists, which its type does not say.
const rlp = (value: Rlp): Uint8Array => toRlp(value as Uint8Array, "bytes")

const depositType = 0x7e

/**
 * A receipt as consensus encodes it (EIP-2718): four fields with the type before them, which old transactions do not have.
 * Deposits of the OP stack add two fields where there is a version (Canyon and later).
 */
export const encodedReceipt = (receipt: Receipt): Uint8Array => {
  const { cumulativeGasUsed, depositNonce, depositReceiptVersion, logs, logsBloom, status, type } = receipt
  const kind = Number(type ?? "0x0")
  const fields: ReadonlyArray<Rlp> = [
    scalar(status),
    scalar(cumulativeGasUsed),
    bytes(logsBloom),
    logs.map((log) => [bytes(log.address), log.topics.map(bytes), bytes(log.data)])
  ]
  if (kind === 0) return rlp(fields)
  const versioned =
    kind === depositType && typeof depositNonce === "string" && typeof depositReceiptVersion === "string"
  const body = rlp(versioned ? [...fields, scalar(depositNonce), scalar(depositReceiptVersion)] : fields)
  return concatBytes([Uint8Array.of(kind), body])
}

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

/** The root of the trie of a block's receipts, at least one, which its header has to name. */
export const receiptsRoot = (receipts: ReadonlyArray<Receipt>): string => {
  const items = receipts.map((receipt, index): Item => {
    const key = rlp(index === 0 ? nothing : numberToBytes(index))
    return { nibbles: [...key].flatMap((byte) => [byte >> 4, byte & 15]), value: encodedReceipt(receipt) }
  })
  return keccak256(rlp(nodeOf(items, 0)))
}
