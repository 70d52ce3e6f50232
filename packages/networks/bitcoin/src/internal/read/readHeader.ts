import { Block } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { absent, decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { type ChainInfo, Hash, VerboseHeader } from "../rpc/wire.ts"

/** The parent that the first block names. */
const nothing = "0".repeat(64)

/** The bytes of a hash in the order in which they are hashed, which is the reverse of that in which they are shown. */
export const bytesOf = (hash: string): Uint8Array => Uint8Array.from(Buffer.from(hash, "hex").toReversed())

/** What a header says, in the words of the port. */
export const refOf = (header: VerboseHeader): BlockRef => ({
  number: header.height,
  hash: header.hash,
  parentHash: header.previousblockhash ?? nothing,
  time: header.time * 1000
})

/** What a header says that contradicts itself or the hash it was asked by, or undefined. */
const fault = (hash: string, header: VerboseHeader): string | undefined => {
  if (header.hash !== hash) return `the node answered with block ${header.hash}`
  if ((header.previousblockhash === undefined) !== (header.height === 0)) return "only the first block has no parent"
  const block = new Block()
  block.version = header.version
  block.prevHash = bytesOf(header.previousblockhash ?? nothing)
  block.merkleRoot = bytesOf(header.merkleroot)
  block.timestamp = header.time
  block.bits = Number.parseInt(header.bits, 16)
  block.nonce = header.nonce
  if (block.getId() !== hash) return `the header has the hash ${block.getId()}`
  return block.checkProofOfWork() ? undefined : "the hash of the header does not meet its own target"
}

/**
 * The header of a hash, if it is in the main chain; two calls to a node behind a balancer may meet different nodes, so every
 * header is checked by its own hash. A block that was replaced is still known to the node (`confirmations` -1): `absent`.
 */
export const headerOfHash = Effect.fn("BitcoinReader.headerOfHash")(function* (
  rpc: BitcoinRpc,
  doing: string,
  hash: string
): Effect.fn.Return<VerboseHeader, ChainError> {
  const header = yield* decoded(doing, VerboseHeader, yield* rpc.ask(doing, "getblockheader", [hash, true]))
  const wrong = fault(hash, header)
  if (wrong !== undefined) return yield* inconsistent(doing, wrong)
  if (header.confirmations < 1) return yield* absent(doing, "the block is not in the node's main chain")
  return header
})

/** The header of the best block of a node, which has to stand where the node says that it is. */
export const bestHeader = Effect.fn("BitcoinReader.bestHeader")(function* (
  rpc: BitcoinRpc,
  doing: string,
  { bestblockhash, blocks }: Pick<typeof ChainInfo.Type, "bestblockhash" | "blocks">
): Effect.fn.Return<VerboseHeader, ChainError> {
  const header = yield* headerOfHash(rpc, doing, bestblockhash)
  return header.height === blocks
    ? header
    : yield* inconsistent(doing, `the node is at block ${blocks}, and the best one that it names is ${header.height}`)
})

/** The header at a height of the main chain; `absent` where the node has none there. */
export const headerAt = Effect.fn("BitcoinReader.headerAt")(function* (
  rpc: BitcoinRpc,
  number: number
): Effect.fn.Return<VerboseHeader, ChainError> {
  const doing = `read header ${number}`
  if (!Number.isSafeInteger(number) || number < 0) return yield* absent(doing, "this is not a height")
  const hash = yield* decoded(doing, Hash, yield* rpc.ask(doing, "getblockhash", [number]))
  const header = yield* headerOfHash(rpc, doing, hash)
  return header.height === number ? header : yield* inconsistent(doing, `the node answered with block ${header.height}`)
})
