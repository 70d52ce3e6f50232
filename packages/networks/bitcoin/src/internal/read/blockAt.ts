import { Effect } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { refOf } from "./readHeader.ts"
import type { VerboseHeader } from "../rpc/wire.ts"

/**
 * How far below the block whose median time passes the time sought a block of that time may stand: the median lags by 6 blocks,
 * and a miner's clock may be two hours ahead, about 12 blocks. Doubled, for blocks come irregularly.
 */
const windowBlocks = 36

/** Headers asked for at once. */
const readAheadMax = 8

/**
 * The lowest block whose time is not before `time`; the latest where all are.
 *
 * **Details**
 *
 * The times of blocks may decrease along the chain; the median of eleven, which every header carries in the node's answer, never
 * does. So the median is searched by halving, then the blocks below that point are looked at one by one.
 */
export const blockAt = Effect.fn("BitcoinReader.blockAt")(function* (
  header: (number: number) => Effect.Effect<VerboseHeader, ChainError>,
  latest: VerboseHeader,
  time: Timestamp
): Effect.fn.Return<BlockRef, ChainError> {
  let from = 0
  let to = latest.height
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const { mediantime } = yield* header(middle)
    if (mediantime * 1000 < time) from = middle + 1
    else to = middle
  }
  const lowest = Math.max(0, to - windowBlocks)
  const numbers = Array.from({ length: to - lowest + 1 }, (_, index) => lowest + index)
  const headers = yield* Effect.forEach(numbers, header, { concurrency: readAheadMax })
  return refOf(headers.find((one) => one.time * 1000 >= time) ?? latest)
})
