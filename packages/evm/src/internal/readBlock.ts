import { Effect, Schema } from "effect"
import type { Block, BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { EvmRpc } from "./EvmRpc.ts"
import { absent, decoded, inconsistent, toChainError } from "./NodeAnswer.ts"
import { readReceipts } from "./readReceipts.ts"
import { readTraces } from "./readTraces.ts"
import { transfersOf } from "./transfersOf.ts"
import { FullBlock, Hash, Header, same } from "./wire.ts"

/** The root of a trie with nothing in it: what a header says of a block without transactions. */
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/** What a header says, in the words of the port. */
export const refOf = ({ hash, number, parentHash, timestamp }: Header): BlockRef => ({
  number: Number(number),
  hash: hash.toLowerCase(),
  parentHash: parentHash.toLowerCase(),
  time: Number(timestamp) * 1000
})

/** What a block says that contradicts itself or the hash it was asked by, or undefined. */
const fault = (hash: string, block: FullBlock): string | undefined => {
  if (!same(block.hash, hash)) return `the node answered with block ${block.hash}`
  if ((block.transactions.length === 0) !== same(block.transactionsRoot, emptyRoot)) {
    return `${block.transactions.length} transactions contradict the root ${block.transactionsRoot}`
  }
  const hashes = new Set<string>()
  for (const [index, transaction] of block.transactions.entries()) {
    if (!same(transaction.blockHash, hash)) return `transaction ${index} is of block ${transaction.blockHash}`
    if (Number(transaction.blockNumber) !== Number(block.number)) return `transaction ${index} is of another height`
    if (Number(transaction.transactionIndex) !== index) {
      return `transaction ${index} has index ${Number(transaction.transactionIndex)}`
    }
    hashes.add(transaction.hash.toLowerCase())
  }
  return hashes.size === block.transactions.length ? undefined : "a transaction stands in the block twice"
}

/** A header by height or tag. Null, the node's word for "none", is `absent`. */
export const readHeader = Effect.fn("EvmChain.readHeader")(function* (
  rpc: EvmRpc,
  at: number | "latest"
): Effect.fn.Return<BlockRef, ChainError> {
  const doing = `read header ${at}`
  const answer = yield* rpc.ask(doing, "eth_getBlockByNumber", [
    typeof at === "number" ? `0x${at.toString(16)}` : at,
    false
  ])
  const header = refOf(yield* decoded(rpc.network, doing, Header, answer))
  if (typeof at === "number" && header.number !== at) {
    return yield* inconsistent(rpc.network, doing, `the node answered with block ${header.number}`)
  }
  return header
})

/**
 * A block by its hash with all that it moved, in three calls: the block, its receipts, and its traces unless `traced` is false.
 * Whatever does not add up fails the whole block.
 */
export const readBlock = Effect.fn("EvmChain.readBlock")(function* (
  rpc: EvmRpc,
  options: {
    readonly contracts: ReadonlyMap<string, string>
    readonly missing: Set<string>
    readonly rooted: boolean
    readonly traced: boolean
  },
  hash: string
): Effect.fn.Return<Block, ChainError> {
  const doing = `read block ${hash}`
  if (!Schema.is(Hash)(hash)) return yield* absent(rpc.network, doing, "this is not a block hash")
  const answer = yield* rpc.ask(doing, "eth_getBlockByHash", [hash, true])
  const block = yield* decoded(rpc.network, doing, FullBlock, answer)
  const wrong = fault(hash, block)
  if (wrong !== undefined) return yield* inconsistent(rpc.network, doing, wrong)
  const receipts = yield* readReceipts(rpc, options, block)
  const roots = options.traced
    ? yield* readTraces(rpc, options.missing, block, receipts).pipe(
        Effect.catchTag("NodeRefusal", (refusal) => Effect.fail(toChainError(rpc.network)(refusal)))
      )
    : []
  const transfers = block.transactions.flatMap((transaction, index) => {
    const receipt = receipts[index]
    return receipt === undefined ? [] : transfersOf(options.contracts, transaction, receipt, roots[index])
  })
  return { ...refOf(block), transfers }
})
