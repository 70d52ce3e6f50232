import type { Mempool } from "@bursar/core/port/Chain"
import { Effect } from "effect"

/**
 * One mempool over those of several nodes. What waits at a node that was turned to is told anew; what was told before and does not
 * wait there is gone once all of it has been read, not before.
 */
export const poolMempool = (current: () => number, open: ReadonlyArray<() => Mempool>): Mempool => {
  const told = new Set<string>()
  let from: number | undefined
  let mempool: Mempool | undefined
  /** What has been seen at the node since it was turned to; undefined once all of it has been compared with what was told. */
  let seen: Set<string> | undefined
  return {
    changes: Effect.suspend(() => {
      const index = current()
      if (mempool === undefined || from !== index) {
        mempool = open[index]?.()
        seen = new Set()
        from = index
      }
      if (mempool === undefined) return Effect.die(new Error(`node ${index} has no mempool`))
      return Effect.map(mempool.changes, ({ gone, transfers, unread }) => {
        const lost = new Set(gone)
        for (const { txHash } of transfers) {
          told.add(txHash)
          seen?.add(txHash)
        }
        for (const txHash of gone) seen?.delete(txHash)
        if (seen !== undefined && unread === 0) {
          for (const txHash of told) if (!seen.has(txHash)) lost.add(txHash)
          seen = undefined
        }
        for (const txHash of lost) told.delete(txHash)
        return { gone: [...lost], transfers, unread }
      })
    })
  }
}
