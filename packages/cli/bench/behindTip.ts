import { Effect, Logger } from "effect"
import { watcher } from "./scan.ts"

/** How long after a block is there it has been read, with every deposit in it recorded and the cursor on it. */
export interface BehindTip {
  readonly blocks: number
  /** In milliseconds. */
  readonly median: number
  readonly slowest: number
}

/** The time between blocks of the chain, in milliseconds. */
const blockTimeMs = 3_000

/** How long the watcher waits before it asks for a new block again, in milliseconds; as on networks of such blocks. */
const pollIntervalMs = 1_000

/**
 * Follows a chain that gets a block of 200 transfers every three seconds, against `addresses` watched addresses, as the worker does: asks for a new
 * block every second, and has a pass over what is new.
 */
export const behindTip = Effect.fnUntraced(
  function* (url: string, addresses: number, blocks: number) {
    let newest = 0
    const { next } = yield* watcher(url, addresses, () => newest)
    while (yield* next);
    const waits: Array<number> = []
    const began = performance.now()
    for (let read = 0; read < blocks;) {
      yield* Effect.sleep(pollIntervalMs)
      newest = Math.floor((performance.now() - began) / blockTimeMs)
      if (newest === read) continue
      // passes of a busy machine may find several
      const [first, last] = [read + 1, newest]
      while (yield* next);
      const now = performance.now()
      for (let block = first; block <= last; block++) waits.push(now - (began + block * blockTimeMs))
      read = last
    }
    waits.sort((one, other) => one - other)
    return {
      blocks: waits.length,
      median: waits[Math.floor(waits.length / 2)] ?? 0,
      slowest: waits.at(-1) ?? 0
    } satisfies BehindTip
  },
  Effect.provide(Logger.layer([]))
)
