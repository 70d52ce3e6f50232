import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"

/** What bringing in deposits of a currency has cost the service, measured from the outbound transactions that moved them. */
export interface IntakeCost {
  readonly currency: string
  /** The currency of the native asset, in which networks take their fees. */
  readonly native: string
  /** Sweeps that moved something. */
  readonly count: number
  /** What the network took for sweeps and top-ups, in base units of `native`, those that came to nothing included. */
  readonly feeUnits: bigint
  /** The worth of it when each ended, in US cents; null once a price was not known. */
  readonly usdCents: bigint | null
  /** When the first and the last of these sweeps ended. */
  readonly since: Timestamp
  readonly until: Timestamp
}

/** What intake costs, by currency: all are one group. */
export const IntakeCost = defineRecord<IntakeCost>({
  name: "IntakeCost",
  key: ({ currency }) => currency,
  group: () => "all",
  traits: { oncePerCommand: true }
})
