import type { BlockRef } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect } from "effect"
import { countable } from "./matchTransfers.ts"
import type { MempoolWatch } from "./MempoolWatch.ts"
import { recordTransfers } from "./recordTransfers.ts"
import { markReorged } from "./markReorged.ts"
import type { Watch } from "./Watch.ts"

/** Asks what changed. What came is due until it is recorded, so a storage that fails loses none of it. */
const take = Effect.fnUntraced(function* ({ chain, currencies }: Watch, { due, reader, waiting }: MempoolWatch) {
  const { gone, transfers, unread } = yield* reader.changes
  for (const txHash of gone) {
    waiting.delete(txHash)
    due.delete(txHash)
  }
  const found = countable(chain.network, transfers, currencies)
  for (const [txHash, ofOne] of Map.groupBy(found, (transfer) => transfer.txHash)) {
    waiting.set(txHash, ofOne)
    due.add(txHash)
  }
  return unread
})

/** Records what is due. Above its bound the memory keeps only those transactions that pay somebody here. */
const recordDue = Effect.fnUntraced(function* (watch: Watch, { due, waiting }: MempoolWatch, latest: number) {
  const txHashes = [...due]
  const transfers = txHashes.flatMap((txHash) => waiting.get(txHash) ?? [])
  const { matched } = yield* recordTransfers(watch, { transfers, block: null }, { latest, reading: "first" })
  for (const txHash of txHashes) {
    due.delete(txHash)
    if (waiting.size > watch.limits.mempoolTransactionsMax && !matched.has(txHash)) waiting.delete(txHash)
  }
})

/**
 * Gives up the deposits whose transactions neither wait nor were mined. That they were not mined is known only where
 * nothing was mined between the blocks that were read and the mempool: the newest block is still the one at the cursor.
 * They must be missing several times in a row, because behind a balancer one node may not have heard of them.
 */
const abandonLost = Effect.fnUntraced(function* (watch: Watch, { absences, waiting }: MempoolWatch, cursor: BlockRef) {
  const { chain, limits } = watch
  const state = yield* WatchState
  const { latest } = yield* chain.tip
  if (latest.hash !== cursor.hash) return
  const missing = (yield* state.waiting(chain.network)).filter(({ txHash }) => !waiting.has(txHash))
  const ids = new Set(missing.map(({ id }) => id))
  for (const id of absences.keys()) if (!ids.has(id)) absences.delete(id)
  for (const id of ids) absences.set(id, (absences.get(id) ?? 0) + 1)
  yield* markReorged(
    watch,
    missing.filter(({ id }) => (absences.get(id) ?? 0) >= limits.mempoolAbsencesMax)
  )
})

/**
 * Reads what waits for a block: deposits in it are detected without a block, and those that left it without being mined
 * (replaced, in conflict with a block, or evicted) are reorged, for the coins are not there. To be done when the blocks
 * have been read up to the newest. Returns whether there is more to read right away.
 */
export const readMempool = Effect.fn("watch.readMempool")(function* (
  watch: Watch,
  mempool: MempoolWatch,
  cursor: BlockRef
) {
  const unread = yield* take(watch, mempool)
  yield* recordDue(watch, mempool, cursor.number)
  if (unread > 0) return true
  yield* abandonLost(watch, mempool, cursor)
  return false
})
