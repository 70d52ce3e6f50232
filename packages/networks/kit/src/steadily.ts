import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"

/** How often something is read again because a block came in between. */
const readsMax = 8

/**
 * Reads what a node tells of its newest block alone, so that it is known of which block it was: where another is the newest afterwards,
 * it is read again. `moved` is the failure where blocks come faster than that.
 */
export const steadily = Effect.fnUntraced(function* <A>(
  newest: Effect.Effect<BlockRef, ChainError>,
  read: Effect.Effect<A, ChainError>,
  moved: ChainError
): Effect.fn.Return<{ readonly block: BlockRef; readonly read: A }, ChainError> {
  let before = yield* newest
  for (let reads = 0; reads < readsMax; reads++) {
    const found = yield* read
    const after = yield* newest
    if (after.hash === before.hash) return { block: after, read: found }
    before = after
  }
  return yield* moved
})
