import type { Network } from "@bursar/core/money/Network"
import { type Effect, Metric } from "effect"

const sweeps = Metric.counter("sweeps", { description: "Sweeps that ended, by network and state", incremental: true })

const waiting = Metric.counter("sweep_addresses_deferred", {
  description: "Times that an address was not swept yet, by network and reason",
  incremental: true
})

/** Counts a sweep that ended. */
export const countSweep = (network: Network, state: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(sweeps, { network, state }), 1)

/** Counts addresses that were looked at and are not swept now. */
export const countWaiting = (network: Network, reason: string, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(waiting, { network, reason }), count)
