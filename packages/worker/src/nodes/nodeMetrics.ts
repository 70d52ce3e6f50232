import type { Network } from "@bursar/core/money/Network"
import { Effect, Metric } from "effect"

const healthy = Metric.gauge("node_healthy", {
  description: "1 while a node answers and has caught up, 0 otherwise, by network, node and use"
})
const used = Metric.gauge("node_used", { description: "1 for the node of a network that is asked, 0 for the others" })
const behind = Metric.gauge("node_behind_blocks", { description: "Blocks that a node lacks of those that were told" })
const failovers = Metric.counter("node_failovers", {
  description: "How often another node of a network was turned to",
  incremental: true
})
const disputed = Metric.counter("node_disputes", {
  description:
    "Times that nodes of two operators contradicted each other, by network and subject: a person has to look",
  incremental: true
})

/** Which node of which network, and what it is asked for. */
export interface NodeLabels {
  readonly network: Network
  readonly node: string
  readonly use: string
}

/** Shows how a node does. */
export const showNode = (
  labels: NodeLabels,
  state: { readonly well: boolean; readonly used: boolean; readonly behindBlocks: number }
): Effect.Effect<void> => {
  const attributes = { ...labels }
  return Effect.all(
    [
      Metric.update(Metric.withAttributes(healthy, attributes), state.well ? 1 : 0),
      Metric.update(Metric.withAttributes(used, attributes), state.used ? 1 : 0),
      Metric.update(Metric.withAttributes(behind, attributes), state.behindBlocks)
    ],
    { discard: true }
  )
}

/** Counts that another node was turned to. */
export const countFailover = ({ network, use }: Omit<NodeLabels, "node">): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(failovers, { network, use }), 1)

/** What nodes of two operators contradict each other about. */
export type DisputeSubject =
  | "arrival"
  | "reorg"
  | "transaction"
  | "proof"
  | "balance"
  | "sequence"
  | "receiver"
  | "build"

/** Counts that nodes of two operators contradict each other. */
export const countDisputed = (network: Network, subject: DisputeSubject): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(disputed, { network, subject }), 1)
