import { Effect, Metric } from "effect"
import type { TenantId } from "../tenant/Tenant.ts"
import { shortfallsIn } from "./coverShortfall.ts"
import type { PostedLeg } from "./Leg.ts"

const shortfalls = Metric.counter("ledger_shortfalls", {
  description: "Amounts that left a place without ever being booked in there, by currency: a person has to look",
  incremental: true
})

/** How many times an amount has doubled. */
const doublings = (units: bigint): number => (units <= 0n ? 0 : units.toString(2).length)

/** Whether what is missing at a place came to be by a leg, or has doubled by it: a thousand of them in a row are no thousand calls. */
const isNews = ({ balance, units }: PostedLeg): boolean => doublings(-balance) > doublings(-balance - units)

/**
 * Calls a person where something has left a place that did not have it in the books. Storage says so once the legs are committed. Each is counted;
 * a line says what is missing by now when that begins, and whenever it has doubled.
 */
export const alarmShortfalls = (tenantId: TenantId, legs: ReadonlyArray<PostedLeg>): Effect.Effect<void> =>
  Effect.forEach(
    shortfallsIn(legs),
    (leg) => {
      const { account, balance, currency, operationId, units } = leg
      const counted = Metric.update(Metric.withAttributes(shortfalls, { currency }), 1)
      if (!isNews(leg)) return counted
      return Effect.andThen(
        counted,
        Effect.logError("ledger.shortfall").pipe(
          Effect.annotateLogs({
            tenant: tenantId,
            operation: operationId,
            account,
            currency,
            units: units.toString(),
            missing: (-balance).toString()
          })
        )
      )
    },
    { discard: true }
  )
