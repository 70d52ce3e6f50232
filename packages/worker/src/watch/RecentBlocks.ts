import type { Block } from "@bursar/core/port/Chain"

/** The newest blocks that were read, by hash, so that reading them again asks nothing of the node. Bounded. */
export interface RecentBlocks {
  readonly get: (hash: string) => Block | undefined
  readonly put: (block: Block) => void
}

/** Keeps `max` blocks; the one put first goes first. */
export const makeRecentBlocks = (max: number): RecentBlocks => {
  const blocks = new Map<string, Block>()
  return {
    get: (hash) => blocks.get(hash),
    put: (block) => {
      blocks.delete(block.hash)
      blocks.set(block.hash, block)
      const oldest = blocks.keys().next()
      if (blocks.size > max && oldest.done !== true) blocks.delete(oldest.value)
    }
  }
}
