import type { Timestamp } from "../base/Timestamp.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { PlaceObservation } from "./PlaceObservation.ts"
import type { ReconciliationBreak } from "./ReconciliationBreak.ts"
import { Effect, Metric } from "effect"

const difference = Metric.gauge("reconciliation_difference", {
  description:
    "What the books say more than a place shows and nothing in flight explains, in whole units, by place and currency"
})
const oldest = Metric.gauge("reconciliation_oldest_break_seconds", {
  description: "The age of the oldest break that nobody has explained, by place and currency; 0 where there is none"
})
const observedAt = Metric.gauge("reconciliation_last_observation", {
  description: "When a place was last compared with the books, in Unix seconds, by place and currency"
})
const thousand = 1_000

/**
 * Shows as metrics what an observation has found, and the breaks that are open after it. A gauge is for eyes: it may round.
 * What a difference of a currency is that the table lost nobody can say: it is left out, and all else is shown. Where no balance is told, nothing
 * was compared: what was shown last stays with its moment, which stands still.
 */
export const showObservation = (
  { at, currency, difference: units, place }: PlaceObservation,
  open: ReadonlyArray<ReconciliationBreak>,
  currencies: CurrencyTable,
  now: Timestamp = at
): Effect.Effect<void> => {
  const labels = { place, currency }
  const unexplained = open.filter(({ explanation }) => explanation === null).map(({ since }) => since)
  const known = currencies.byCode(currency)
  return Effect.all(
    [
      ...(units === null || known === undefined
        ? []
        : [Metric.update(Metric.withAttributes(difference, labels), Number(units) / 10 ** known.decimals)]),
      Metric.update(
        Metric.withAttributes(oldest, labels),
        unexplained.length === 0 ? 0 : (now - Math.min(...unexplained)) / thousand
      ),
      ...(units === null ? [] : [Metric.update(Metric.withAttributes(observedAt, labels), at / thousand)])
    ],
    { discard: true }
  )
}
