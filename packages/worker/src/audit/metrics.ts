import { type Effect, Metric } from "effect"

const broken = Metric.gauge("audit_broken", {
  description: "1 while the log of operators' actions is not what was sealed or put down outside"
})

const unanchored = Metric.counter("audit_anchor_failed", {
  description: "Seals that could not be put down outside, by anchor",
  incremental: true
})

/** Tells whether the log of operators' actions is what was sealed. */
export const tellAudit = (isBroken: boolean): Effect.Effect<void> => Metric.update(broken, isBroken ? 1 : 0)

/** Counts a seal that could not be put down. */
export const countUnanchored = (anchor: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(unanchored, { anchor }), 1)
