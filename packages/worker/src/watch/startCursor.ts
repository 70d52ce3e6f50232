import { type BlockRef, blockTimeSlackMsDefault, type Tip } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect } from "effect"
import { inconsistent, readHeader } from "./readBlock.ts"
import type { Watch } from "./Watch.ts"

/** Where reading starts. */
export interface Start {
  /** The block before the first to read, undefined where the node has none. */
  readonly cursor: BlockRef | undefined
  /** The first block to read. */
  readonly next: number
}

/**
 * Where a network is read from when it never was: the block of the moment at which the first of its live addresses was registered, or the
 * latest. What an address asks for of the time before that, a backfill reads: what one tenant asks for decides nothing for the others. What was paid at that moment may stand in a block that says that it is older. The headers right below it that may still be replaced are remembered as if they had been read, so that a
 * reorganisation across the start is one like any other.
 */
export const startCursor = Effect.fn("watch.startCursor")(function* ({ chain, fence, limits }: Watch, tip: Tip) {
  const { blockTimeSlackMs = blockTimeSlackMsDefault, network, reorgDepthMax } = chain
  const state = yield* WatchState
  const earliest = yield* state.firstRegistered(network)
  const first = earliest === undefined ? tip.latest : yield* chain.blockAt(earliest - blockTimeSlackMs)
  const lowest = Math.max(0, Math.min(first.number - 1, tip.latest.number - reorgDepthMax))
  const numbers = Array.from({ length: first.number - lowest }, (_, index) => lowest + index)
  const found = yield* Effect.forEach(
    numbers,
    (number) =>
      readHeader(chain, number).pipe(
        // nodes need not keep all of the past
        Effect.catchIf(
          ({ reason }) => reason === "absent",
          () => Effect.succeed(undefined)
        )
      ),
    { concurrency: limits.readAheadMax }
  )
  const headers = found.slice(found.lastIndexOf(undefined) + 1).filter((header) => header !== undefined)
  let above: BlockRef = first
  for (const header of headers.toReversed()) {
    if (above.parentHash !== header.hash) {
      return yield* inconsistent(
        chain,
        `reading header ${header.number}`,
        `it is not the parent of header ${above.number}`
      )
    }
    above = header
  }
  for (const header of headers) yield* state.advance(fence, network, header, header.number - reorgDepthMax)
  yield* Effect.logInfo("watch.cursor_started").pipe(Effect.annotateLogs({ height: first.number }))
  return { cursor: headers.at(-1), next: first.number } satisfies Start
})
