import { Effect } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Timestamp } from "@bursar/core/base/Timestamp"

/** How many blocks the first step back overshoots, so that it tends to land before the time sought. */
const overshootBlocks = 16

/** Guesses after which only halving goes on: where interpolation has not arrived by then, it will not. */
const interpolatedMax = 12

/**
 * The lowest block whose time is not before `time`; the latest where all are. Times never decrease along a chain.
 *
 * **Details**
 *
 * Steps back from the latest block by the mean block time, doubling, until a block before `time` is found, then narrows the
 * range by interpolation and halving in turn: interpolation alone can creep where blocks came irregularly.
 */
export const blockAt = Effect.fn("TronChain.blockAt")(function* (
  header: (number: number) => Effect.Effect<BlockRef, ChainError>,
  latest: BlockRef,
  blockTimeMs: number,
  time: Timestamp
): Effect.fn.Return<BlockRef, ChainError> {
  if (latest.time < time) return latest
  let after = latest
  let before: BlockRef | undefined
  let back = Math.ceil((latest.time - time) / blockTimeMs) + overshootBlocks
  while (before === undefined) {
    if (after.number === 0) return after
    const guess = yield* header(Math.max(0, after.number - back))
    if (guess.time < time) before = guess
    else after = guess
    back *= 2
  }
  let guesses = 0
  while (after.number - before.number > 1) {
    const width: number = after.number - before.number
    const share: number =
      guesses % 2 === 1 || guesses >= interpolatedMax ? 0.5 : (time - before.time) / (after.time - before.time)
    const step: number = Math.min(width - 1, Math.max(1, Math.round(width * share)))
    const guess: BlockRef = yield* header(before.number + step)
    if (guess.time < time) before = guess
    else after = guess
    guesses++
  }
  return after
})
