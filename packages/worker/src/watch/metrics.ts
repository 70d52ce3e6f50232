import type { Network } from "@bursar/core/money/Network"
import { Effect, Metric } from "effect"

const blocksRead = Metric.counter("watch_blocks_read", { description: "Blocks read, by network", incremental: true })
const deposits = Metric.counter("watch_deposits", {
  description: "Moves of deposits, by network and new status",
  incremental: true
})
const reorgs = Metric.counter("watch_reorgs", {
  description: "Times that blocks were replaced, by network",
  incremental: true
})
const suspense = Metric.counter("watch_suspense", {
  description: "Arrivals that name nobody and stand in suspense, by network and currency: a person has to look",
  incremental: true
})
const quarantined = Metric.counter("watch_quarantined", {
  description: "Transactions that could not be read and may concern somebody here, by network: a person has to look",
  incremental: true
})
const quarantineOpen = Metric.gauge("watch_quarantine_open", { description: "Transactions in quarantine, by network" })
const heldArrivals = Metric.gauge("watch_held_arrivals", {
  description: "Arrivals that are not credited because nodes of two operators do not say the same, by network and state"
})
const height = Metric.gauge("watch_height", { description: "The block up to which the network has been read" })
const lag = Metric.gauge("watch_lag_blocks", { description: "Blocks that the node has and that are not read yet" })
const healthy = Metric.gauge("watch_healthy", { description: "1 while the watcher has no problem, 0 otherwise" })

/** Counts a block that was read. */
export const countBlock = (network: Network): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(blocksRead, { network }), 1)

/** Counts deposits that moved. */
export const countDeposits = (
  network: Network,
  status: "detected" | "confirmed" | "reorged",
  count: number
): Effect.Effect<void> =>
  count === 0 ? Effect.void : Metric.update(Metric.withAttributes(deposits, { network, status }), count)

/** Counts an arrival that names nobody. */
export const countSuspense = (network: Network, currency: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(suspense, { network, currency }), 1)

/** Counts transactions that went into quarantine. */
export const countQuarantined = (network: Network, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(quarantined, { network }), count)

/** Shows how many transactions are in quarantine. */
export const showQuarantine = (network: Network, open: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(quarantineOpen, { network }), open)

/** Shows how many arrivals are held. */
export const showHeld = (network: Network, held: { readonly waiting: number; readonly disputed: number }) =>
  Effect.forEach(
    ["waiting", "disputed"] as const,
    (state) => Metric.update(Metric.withAttributes(heldArrivals, { network, state }), held[state]),
    { discard: true }
  )

/** Counts a reorganisation. */
export const countReorg = (network: Network): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(reorgs, { network }), 1)

/** Shows where the watcher stands. */
export const showHeight = (network: Network, cursor: number, latest: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(height, { network }), cursor),
    Metric.update(Metric.withAttributes(lag, { network }), Math.max(0, latest - cursor))
  )

/** Shows whether the watcher has a problem. */
export const showHealth = (network: Network, well: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(healthy, { network }), well ? 1 : 0)
