import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect, Result } from "effect"
import { readBlock } from "./readBlock.ts"
import { recordBlock } from "./recordBlock.ts"
import { recordTransfers } from "./recordTransfers.ts"
import type { Watch } from "./Watch.ts"

/**
 * Reads the newest blocks again for the addresses that their owners want watched now: in the pass after they asked, and
 * every minute from then on. Blocks that this process still has in memory cost the node nothing, and what waits for a block
 * is in memory always. What can be read of them counts: a block that cannot keeps nobody from the others, and one that an operator told to pass is stepped over.
 */
export const rereadWatched = Effect.fn("watch.rereadWatched")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { chain, currencies, limits, mempool, recent, reread } = watch
  const state = yield* WatchState
  const { networks } = currencies
  const { network } = chain
  const now = yield* Clock.currentTimeMillis
  const watched = yield* state.watchedNow(networks.of(network).family, networks.siblings(network), now)
  const wanted = new Set(watched.map(({ addressId }) => addressId))
  for (const id of reread.keys()) if (!wanted.has(id)) reread.delete(id)
  const due = watched.filter(
    ({ addressId }) => now - (reread.get(addressId) ?? Number.NEGATIVE_INFINITY) >= limits.rereadIntervalMs
  )
  if (due.length === 0) return
  const only = new Map(due.map((one) => [one.address, one]))
  const lowest = Math.max(0, cursor.number - Math.min(chain.reorgDepthMax, limits.rereadBlocksMax) + 1)
  const refs = (yield* state.blocks(chain.network, lowest)).filter(({ number }) => number <= tip.latest.number)
  const read = yield* Effect.forEach(
    refs,
    (ref) => {
      const cached = recent.get(ref.hash)
      return Effect.result(
        cached !== undefined
          ? Effect.succeed(cached)
          : Effect.tap(readBlock(chain, ref), (block) => Effect.sync(() => recent.put(block)))
      )
    },
    { concurrency: limits.readAheadMax }
  )
  const how = { latest: tip.latest.number, reading: "again", only } as const
  const isWhole = read.every(Result.isSuccess)
  const passedWhole = isWhole ? [] : yield* (yield* Quarantine).passedWhole(network, lowest)
  const passed = new Set(passedWhole.map(({ hash }) => hash))
  let failed: ChainError | undefined
  for (const [index, result] of read.entries()) {
    if (Result.isSuccess(result)) yield* recordBlock(watch, result.success, how)
    else if (!passed.has(refs[index]?.hash ?? "")) failed ??= result.failure
  }
  const transfers = [...(mempool?.waiting.values() ?? [])].flat()
  yield* recordTransfers(watch, { transfers, block: null }, how)
  // those blocks are asked for again in the next pass
  if (failed !== undefined) return yield* failed
  for (const { addressId } of due) reread.set(addressId, now)
})
