import type { Block, BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect, Result } from "effect"
import { countBlock } from "./metrics.ts"
import { orderToPass } from "./blockOrders.ts"
import { caughtUp, quarantineBlock, quarantineUnread } from "./quarantine.ts"
import { inconsistent, readBlockAt, readHeader } from "./readBlock.ts"
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
 * An empty block in place of one that cannot be read, where an operator told to pass it: its header must be readable still, so that the
 * chain goes on. It goes into quarantine whole. Undefined where nobody told so.
 */
const passed = Effect.fnUntraced(function* (watch: Watch, number: number, failure: ChainError) {
  const order = yield* orderToPass(watch, number)
  if (order === undefined) return undefined
  const header = yield* readHeader(watch.chain, number)
  const quarantine = yield* Quarantine
  yield* quarantineBlock(watch, header, failure)
  yield* quarantine.carriedOut(watch.fence, order)
  return { ...header, transfers: [] } satisfies Block
})

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
  // after what was read the next pass begins at once: only a block that fails again and again is waited for longer
  const failedAt = (failed: ChainError | null): ReadSoFar => ({ cursor, more: cursor !== start.cursor, failed })
  for (let next = start.next; next <= last; next += limits.readAheadMax) {
    const numbers = Array.from({ length: Math.min(limits.readAheadMax, last - next + 1) }, (_, index) => next + index)
    const read = yield* Effect.forEach(numbers, (number) => Effect.result(readBlockAt(chain, number)), {
      concurrency: limits.readAheadMax
    })
    for (const [index, result] of read.entries()) {
      const block = Result.isSuccess(result) ? result.success : yield* passed(watch, next + index, result.failure)
      if (block === undefined) {
        return failedAt(Result.isFailure(result) ? result.failure : null)
      }
      if (cursor !== undefined && block.parentHash !== cursor.hash) {
        const { cursor: back } = yield* reconcile(watch, cursor, yield* chain.tip)
        if (back.hash !== cursor.hash) return { cursor: back, more: true, failed: null } satisfies ReadSoFar
        return failedAt(
          inconsistent(chain, `reading block ${block.number}`, `it does not follow on block ${cursor.number}`)
        )
      }
      const unread = yield* quarantineUnread(watch, block)
      if (unread !== undefined) return failedAt(unread)
      const { hash, number, parentHash, time } = block
      const ref: BlockRef = { hash, number, parentHash, time }
      yield* recordBlock(watch, block, { latest: tip.latest.number, reading: "first" })
      yield* state.advance(fence, chain.network, ref, number - chain.reorgDepthMax)
      // one that was passed is not read: it holds more than is known of it
      if (Result.isSuccess(result)) recent.put(block)
      yield* countBlock(chain.network)
      cursor = ref
    }
  }
  const more = last < tip.latest.number
  if (!more) caughtUp(watch)
  return { cursor, more, failed: null } satisfies ReadSoFar
})
