import type { BlockRef, ChainReader } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { ReorgTooDeep } from "./Problem.ts"
import { inconsistent, readBlock, readHeader } from "./readBlock.ts"

/**
 * Walks down the node's chain from `top`, which is not the stored block of that height, to the newest stored block that
 * is on it. Each header must be the parent of the one above, and the block right above the ancestor must be readable in
 * full: a node that makes up a header reorganises nothing. `stored` is in ascending order and ends at the height of `top`.
 */
export const findAncestor = Effect.fn("watch.findAncestor")(function* (
  chain: ChainReader,
  stored: ReadonlyArray<BlockRef>,
  top: BlockRef
) {
  let child = top
  for (const block of stored.slice(0, -1).toReversed()) {
    if (child.parentHash === block.hash && child.number === block.number + 1) {
      yield* readBlock(chain, child)
      return block
    }
    const header = yield* readHeader(chain, block.number)
    if (header.number + 1 !== child.number || header.hash !== child.parentHash) {
      return yield* inconsistent(
        chain,
        `reading header ${block.number}`,
        `it is not the parent of header ${child.number}`
      )
    }
    child = header
  }
  const lowest = stored[0] ?? top
  return yield* new ReorgTooDeep({ network: chain.network, lowest: lowest.number, hash: lowest.hash })
})
