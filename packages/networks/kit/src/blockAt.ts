import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"

/** Reads the header at a height. */
export type HeaderAt = (number: number) => Effect.Effect<BlockRef, ChainError>

/** The first step back overshoots by so many blocks, so that it tends to land before the time. */
const overshootBlocks = 16

/** After so many guesses only halving goes on: interpolation that has not arrived by then will not. */
const interpolatedMax = 12

/**
 * The lowest block above `before` whose time is not before `time`, where `before` is earlier than `time` and `after` is not. Times
 * must not decrease along the chain.
 *
 * **Details**
 *
 * The range shrinks by interpolation and by halving in turn: interpolation alone can creep where blocks came irregularly.
 */
const narrowed = Effect.fnUntraced(function* (
  header: HeaderAt,
  range: { readonly before: BlockRef; readonly after: BlockRef },
  time: Timestamp
): Effect.fn.Return<BlockRef, ChainError> {
  let { after, before } = range
  let guesses = 0
  while (after.number - before.number > 1) {
    const width: number = after.number - before.number
    const halves = guesses % 2 === 1 || guesses >= interpolatedMax
    const share: number = halves ? 0.5 : (time - before.time) / (after.time - before.time)
    const step: number = Math.min(width - 1, Math.max(1, Math.round(width * share)))
    const guess: BlockRef = yield* header(before.number + step)
    if (guess.time < time) before = guess
    else after = guess
    guesses++
  }
  return after
})

/**
 * The lowest block from `oldest` to `latest` whose time is not before `time`; `latest` where all are earlier. Times must not decrease
 * along the chain.
 */
export const blockBetween = Effect.fn("network.blockBetween")(function* (
  header: HeaderAt,
  { latest, oldest }: { readonly oldest: BlockRef; readonly latest: BlockRef },
  time: Timestamp
): Effect.fn.Return<BlockRef, ChainError> {
  if (latest.time < time) return latest
  if (oldest.time >= time) return oldest
  return yield* narrowed(header, { before: oldest, after: latest }, time)
})

/**
 * The lowest block of a chain that begins at height 0 whose time is not before `time`; `latest` where all are earlier. Times must not
 * decrease along the chain.
 *
 * **Details**
 *
 * The search steps back from the latest block by the mean block time, doubling each step, until it finds a block before `time`.
 */
export const blockAt = Effect.fn("network.blockAt")(function* (
  header: HeaderAt,
  { blockTimeMs, latest }: { readonly latest: BlockRef; readonly blockTimeMs: number },
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
  return yield* narrowed(header, { before, after }, time)
})
