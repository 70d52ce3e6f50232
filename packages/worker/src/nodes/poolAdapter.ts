import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Effect } from "effect"
import { poolReader } from "./poolReader.ts"
import { poolSender } from "./poolSender.ts"

/** The adapter of a network over one of its nodes, and who runs that node. */
export interface OperatedAdapter {
  readonly adapter: NetworkAdapter
  /** Named for all nodes of a network or for none. */
  readonly operator?: string | undefined
}

/** One adapter over several nodes of a network, in order of preference: see `poolReader` and `poolSender`. */
export const poolAdapter = (nodes: readonly [OperatedAdapter, ...ReadonlyArray<OperatedAdapter>]): NetworkAdapter => {
  const [first, ...rest] = nodes
  const senderNode = ({ adapter: { reader, sender }, operator }: OperatedAdapter) => ({ reader, sender, operator })
  return {
    ...first.adapter,
    verifyChain: Effect.forEach(nodes, ({ adapter }) => adapter.verifyChain, { discard: true }),
    reader: poolReader([first.adapter.reader, ...rest.map(({ adapter }) => adapter.reader)], {
      operators: nodes.map(({ operator }) => operator)
    }),
    sender: poolSender([senderNode(first), ...rest.map(senderNode)])
  }
}
