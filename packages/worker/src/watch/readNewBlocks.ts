import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/port/WatchState"
import { Effect, Result } from "effect"
import { countBlock } from "./metrics.ts"
import { inconsistent, readBlockAt } from "./readBlock.ts"
import { reconcile } from "./reconcile.ts"
import { recordBlock } from "./recordBlock.ts"
import type { Start } from "./startCursor.ts"
import type { Watch } from "./Watch.ts"

/** How far reading came. */
export interface ReadSoFar {
  readonly cursor: BlockRef | undefined
  /** Whether there are more blocks to read right away. */
  readonly more: boolean
  /** What the node did not give; what was read before it counts. */
  readonly failed: ChainError | null
}

/**
 * Reads the blocks after the cursor in order, a few ahead of the one being recorded. The cursor moves onto a block only
 * after every deposit in it has been committed. A block that does not follow on the one before means that blocks were
 * replaced while reading: it goes back to the common ancestor and stops there.
 */
export const readNewBlocks = Effect.fn("watch.readNewBlocks")(function* (watch: Watch, start: Start, tip: Tip) {
  const { chain, fence, limits, recent } = watch
  const state = yield* WatchState
  const last = Math.min(tip.latest.number, start.next + limits.blocksPerPassMax - 1)
  let cursor = start.cursor
  for (let next = start.next; next <= last; next += limits.readAheadMax) {
    const numbers = Array.from({ length: Math.min(limits.readAheadMax, last - next + 1) }, (_, index) => next + index)
    const read = yield* Effect.forEach(numbers, (number) => Effect.result(readBlockAt(chain, number)), {
      concurrency: limits.readAheadMax
    })
    for (const result of read) {
      if (Result.isFailure(result)) return { cursor, more: false, failed: result.failure } satisfies ReadSoFar
      const block = result.success
      if (cursor !== undefined && block.parentHash !== cursor.hash) {
        const { cursor: back } = yield* reconcile(watch, cursor, yield* chain.tip)
        if (back.hash !== cursor.hash) return { cursor: back, more: true, failed: null } satisfies ReadSoFar
        const failed = inconsistent(
          chain,
          `reading block ${block.number}`,
          `it does not follow on block ${cursor.number}`
        )
        return { cursor, more: false, failed } satisfies ReadSoFar
      }
      const { hash, number, parentHash, time } = block
      const ref: BlockRef = { hash, number, parentHash, time }
      yield* recordBlock(watch, block, tip.latest.number)
      yield* state.advance(fence, chain.network, ref, number - chain.reorgDepthMax)
      recent.put(block)
      yield* countBlock(chain.network)
      cursor = ref
    }
  }
  return { cursor, more: last < tip.latest.number, failed: null } satisfies ReadSoFar
})
