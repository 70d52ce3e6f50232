import { type Contradiction, closedContradictionsOf, contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { Effect } from "effect"

const nothing: Effect.Effect<void> = Effect.void

/** Those of some contradictions that are not among others. */
const without = (some: ReadonlyArray<Contradiction>, others: ReadonlyArray<Contradiction>) =>
  some.filter((one) => !others.some(({ reference, said }) => said === one.said && reference === one.reference))

/**
 * Logs each thing that the provider of an operation that is over says of it for the first time and that is not as it is booked (`operation.contradicted`),
 * and that such was taken back, because it was said of another operation's order (`operation.contradiction_withdrawn`).
 */
export const logContradiction = (before: Operation, after: Operation | undefined): Effect.Effect<void> => {
  if (after === undefined) return nothing
  const [had, has] = [contradictionsOf(before), contradictionsOf(after)]
  // what operators have closed meanwhile is not taken back
  const [told, withdrawn] = [without(has, had), without(had, [...has, ...closedContradictionsOf(after)])]
  const logs = [
    ...told.map(({ said }) => Effect.annotateLogs(Effect.logError("operation.contradicted"), { said })),
    // what had to give way to what was told is not taken back
    ...(told.length > 0 ? [] : withdrawn).map(({ said }) =>
      Effect.annotateLogs(Effect.logInfo("operation.contradiction_withdrawn"), { said })
    )
  ]
  const { id, kind, status } = after
  return Effect.annotateLogs(Effect.all(logs, { discard: true }), { operation: id, kind, status })
}
