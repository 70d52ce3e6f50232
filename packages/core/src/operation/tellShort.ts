import { Effect } from "effect"
import { contradictionsOf } from "./contradictions.ts"
import type { Operation } from "./Operation.ts"

/**
 * Tells operators of arrivals of the service's own that were taken back although suspense was short of them: an adjustment has credited them to somebody
 * (`operation.contradicted`). Nothing else of the log tells it, and one who has that adjustment to hide may close the contradiction at once.
 */
export const tellShort = (arrivals: ReadonlyArray<Operation>): Effect.Effect<void> =>
  Effect.forEach(
    arrivals.filter(({ details }) => details.reversed_by !== undefined),
    (arrival) =>
      Effect.forEach(
        contradictionsOf(arrival),
        ({ said }) =>
          Effect.logError("operation.contradicted").pipe(
            Effect.annotateLogs({ operation: arrival.id, kind: arrival.kind, status: arrival.status, said })
          ),
        { discard: true }
      ),
    { discard: true }
  )
