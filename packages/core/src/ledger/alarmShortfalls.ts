import { Effect, Metric } from "effect"
import type { TenantId } from "../tenant/Tenant.ts"
import { shortfallsIn } from "./coverShortfall.ts"
import type { PostedLeg } from "./Leg.ts"

const shortfalls = Metric.counter("ledger_shortfalls", {
  description: "Amounts that left a place without ever being booked in there, by currency: a person has to look",
  incremental: true
})

/** Calls a person where something has left a place that did not have it in the books. Storage says so once the legs are committed. */
export const alarmShortfalls = (tenantId: TenantId, legs: ReadonlyArray<PostedLeg>): Effect.Effect<void> =>
  Effect.forEach(
    shortfallsIn(legs),
    ({ account, currency, operationId, units }) =>
      Effect.andThen(
        Metric.update(Metric.withAttributes(shortfalls, { currency }), 1),
        Effect.logError("ledger.shortfall").pipe(
          Effect.annotateLogs({ tenant: tenantId, operation: operationId, account, currency, units: units.toString() })
        )
      ),
    { discard: true }
  )
