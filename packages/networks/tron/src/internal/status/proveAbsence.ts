import { Effect, Schema } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { blockAt } from "@bursar/network-kit/blockAt"
import type { Node } from "../rpc/Node.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { transactionsIn } from "../read/readBlock.ts"
import { orUnreachable, readHeader } from "../read/readHeader.ts"
import type { RawTransaction } from "../build/RawTransaction.ts"

/** How many blocks are asked for at once. */
const batchBlocks = 10

/** A transaction lives at most a day, which has 28,800 blocks. */
const windowBlocksMax = 30_000

const blockTimeMs = 3_000
const referenceWindow = 65_536

const Batch = Schema.Struct({ block: Schema.optionalKey(Schema.Array(Schema.Unknown)) })

/** The block that a transaction names, below which it cannot be in any. */
const referenceOf = Effect.fnUntraced(function* (
  node: Node,
  doing: string,
  raw: RawTransaction,
  end: BlockRef
): Effect.fn.Return<BlockRef, ChainError> {
  const low = Number.parseInt(raw.refBlockBytes, 16)
  const back = (end.number - low) % referenceWindow
  const number = end.number - (back < 0 ? back + referenceWindow : back)
  if (number < 0) return yield* inconsistent(doing, "the block that it names is not there yet")
  const reference = yield* readHeader(node, "walletsolidity", number)
  return reference.hash.slice(16, 32) === raw.refBlockHash
    ? reference
    : yield* inconsistent(doing, `block ${reference.hash} is not the one that it names: this is another chain`)
})

/** Some blocks, which must be there and follow one another. */
const blocksAfter = Effect.fnUntraced(function* (
  node: Node,
  doing: string,
  parent: BlockRef,
  count: number
): Effect.fn.Return<{ readonly last: BlockRef; readonly ids: ReadonlyArray<string> }, ChainError> {
  const first = parent.number + 1
  const answer = yield* orUnreachable(
    node.http.call(doing, "walletsolidity", "getblockbylimitnext", { startNum: first, endNum: first + count })
  )
  const { block: blocks = [] } = yield* decoded(doing, Batch, answer)
  if (blocks.length !== count)
    return yield* inconsistent(doing, `${blocks.length} blocks where ${count} were asked for`)
  const ids: Array<string> = []
  let last = parent
  for (const block of blocks) {
    const [header, transactions] = yield* transactionsIn(doing, block)
    if (header.parentHash !== last.hash)
      return yield* inconsistent(doing, `${header.hash} does not follow ${last.hash}`)
    for (const { txID } of transactions) ids.push(txID)
    last = header
  }
  return { last, ids }
})

/**
 * Proves that a transaction which has expired is in no block: reads every solidified block in which it could be.
 *
 * **Details**
 *
 * It can only be above the block that it names, and no higher than the first block whose time is past its expiration. All of these
 * are read, each linked to the one before by its hash, beginning at the very block that the signed bytes name: a node that is
 * behind, on another chain or has gaps cannot answer. Finding the transaction after all is `inconsistent`, because its lookup by
 * id had found nothing.
 */
export const proveAbsence = Effect.fn("TronSender.proveAbsence")(function* (
  node: Node,
  id: string,
  raw: RawTransaction,
  solid: BlockRef
): Effect.fn.Return<BlockRef, ChainError> {
  const doing = `prove that transaction ${id} is in no block`
  const expiration = Number(raw.expiration)
  if (solid.time <= expiration) return yield* inconsistent(doing, "it has not expired yet")
  const header = (number: number) => readHeader(node, "walletsolidity", number)
  const end = yield* blockAt(header, { latest: solid, blockTimeMs }, expiration + 1)
  let last = yield* referenceOf(node, doing, raw, end)
  if (end.number - last.number > windowBlocksMax) return yield* inconsistent(doing, "it names a block of long before")
  while (last.number < end.number) {
    const batch = yield* blocksAfter(node, doing, last, Math.min(batchBlocks, end.number - last.number))
    if (batch.ids.includes(id)) return yield* inconsistent(doing, "it is in a block, yet it cannot be found by its id")
    last = batch.last
  }
  return last.hash === end.hash ? end : yield* inconsistent(doing, `${last.hash} stands where ${end.hash} should`)
})
