import type { ChainReader } from "@bursar/core/port/Chain"
import { defaultNodeLimits, makeNodePool, type NodeLimits } from "./NodePool.ts"
import { poolMempool } from "./poolMempool.ts"

type Compare = NonNullable<ChainReader["balanceChanges"]>

/**
 * One reader over several nodes of a network, in order of preference; with one node, that node's. The tip never goes back in height.
 * A block is read whole from one node. Each reader must fail while it is not certain that its node is of the right chain.
 */
export const poolReader = (
  readers: readonly [ChainReader, ...ReadonlyArray<ChainReader>],
  limits: NodeLimits = defaultNodeLimits
): ChainReader => {
  const [first] = readers
  if (readers.length === 1) return first
  const pool = makeNodePool(readers, "reading", limits)
  // The places of the pool are those of the list.
  const at = (index: number) => readers[index] as ChainReader
  const opened = readers.flatMap(({ mempool }) => (mempool === undefined ? [] : [mempool]))
  // Readers of one network are of one kind: what one of them can be asked, all can.
  const balanceChanges = readers.flatMap((reader) => reader.balanceChanges ?? [])
  return {
    ...first,
    ...(opened.length === readers.length ? { mempool: () => poolMempool(pool.current, opened) } : {}),
    tip: pool.tip,
    header: (number) => pool.ask((index) => at(index).header(number)),
    block: (hash) => pool.ask((index) => at(index).block(hash), { behindToo: true }),
    blockAt: (time) => pool.ask((index) => at(index).blockAt(time)),
    ...(balanceChanges.length === readers.length
      ? {
          balanceChanges: (block, addresses) =>
            pool.ask((index) => (balanceChanges[index] as Compare)(block, addresses))
        }
      : {})
  }
}
