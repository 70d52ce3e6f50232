import type { ChainReader, NodeOpinion } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { agreedHoldings } from "./agreedHoldings.ts"
import { defaultNodeLimits, makeNodePool, type NodePoolOptions } from "./NodePool.ts"
import { opinionsOf } from "./opinions.ts"
import { byOperator, type Readers } from "./operators.ts"
import { poolMempool } from "./poolMempool.ts"

type Compare = NonNullable<ChainReader["balanceChanges"]>

/** Whether operators agree that a block is gone. */
const isReplaced = (opinions: ReadonlyArray<NodeOpinion>): boolean => {
  const count = (tag: NodeOpinion["says"]["_tag"]) => opinions.filter(({ says }) => says._tag === tag).length
  return count("Same") === 0 && count("Other") > 1
}

/**
 * One reader over several nodes of a network, in order of preference; with one node, that node's. The tip never goes back in height.
 * A block is read whole from one node. Each reader must fail while it is not certain that its node is of the right chain. Where nodes are
 * of two operators at least, each can be asked what it says of a block, and what addresses hold is told only where two say the same.
 */
export const poolReader = (
  readers: Readers,
  { limits = defaultNodeLimits, operators = [] }: Omit<NodePoolOptions, "use"> = {}
): ChainReader => {
  const [first] = readers
  if (readers.length === 1) return first
  const pool = makeNodePool(readers, { use: "reading", limits, operators })
  const operated = byOperator(readers.map((_, index) => operators[index]))
  const opinions = opinionsOf(readers, operated, limits.opinionTimeoutMs)
  // The places of the pool are those of the list.
  const at = (index: number) => readers[index] as ChainReader
  const opened = readers.flatMap(({ mempool }) => (mempool === undefined ? [] : [mempool]))
  // Readers of one network are of one kind: what one of them can be asked, all can.
  const balanceChanges = readers.flatMap((reader) => reader.balanceChanges ?? [])
  return {
    ...first,
    ...(operated.size > 1 && {
      several: {
        opinions: (block) => Effect.tap(opinions(block), (all) => (isReplaced(all) ? pool.absolve : Effect.void)),
        distrust: pool.distrust
      }
    }),
    ...(opened.length === readers.length ? { mempool: () => poolMempool(pool.current, opened) } : {}),
    tip: pool.tip,
    header: (number) => pool.ask((index) => at(index).header(number)),
    block: (hash) => pool.ask((index) => at(index).block(hash), { behindToo: true }),
    blockAt: (time) => pool.ask((index) => at(index).blockAt(time)),
    holdings:
      operated.size > 1
        ? agreedHoldings({ readers, pool, operators: operated, timeoutMs: limits.opinionTimeoutMs })
        : (addresses, block) => pool.ask((index) => at(index).holdings(addresses, block)),
    ...(balanceChanges.length === readers.length
      ? {
          balanceChanges: (block, addresses) =>
            pool.ask((index) => (balanceChanges[index] as Compare)(block, addresses))
        }
      : {})
  }
}
