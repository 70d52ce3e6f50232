import { Effect, Metric } from "effect"

const signed = Metric.counter("signer_signed", { description: "Transactions signed, by network", incremental: true })

const refused = Metric.counter("signer_refused", {
  description: "Transactions that were not signed, by network",
  incremental: true
})

const stopped = Metric.gauge("signer_stopped", {
  description: "1 while nothing is signed for a reason that a person must look at"
})

const auditBroken = Metric.gauge("signer_audit_broken", {
  description: "1 while the log of operators' actions is not what was sealed"
})

/** Tells whether the log of operators' actions is what was sealed. */
export const tellAudit = (isBroken: boolean): Effect.Effect<void> => Metric.update(auditBroken, isBroken ? 1 : 0)

/** Counts a transaction that was signed. */
export const countSigned = (network: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(signed, { network }), 1)

/** Counts a transaction that was not signed. */
export const countRefused = (network: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refused, { network }), 1)

/** Tells that signing has stopped, and why. */
export const tellStopped = (reason: string): Effect.Effect<void> =>
  Effect.andThen(Effect.annotateLogs(Effect.logError("signer.stopped"), { reason }), Metric.update(stopped, 1))
