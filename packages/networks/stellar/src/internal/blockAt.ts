import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"

/** Guesses after which only halving goes on: where interpolation has not arrived by then, it will not. */
const interpolatedMax = 12

/**
 * The lowest ledger between two whose time is not before `time`; the latest where all are. Times never decrease along a chain.
 *
 * **Details**
 *
 * Narrows the range by interpolation and halving in turn: interpolation alone can creep where ledgers came irregularly.
 */
export const blockAt = Effect.fn("StellarChain.blockAt")(function* (
  header: (number: number) => Effect.Effect<BlockRef, ChainError>,
  oldest: BlockRef,
  latest: BlockRef,
  time: Timestamp
): Effect.fn.Return<BlockRef, ChainError> {
  if (latest.time < time) return latest
  if (oldest.time >= time) return oldest
  let before = oldest
  let after = latest
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
