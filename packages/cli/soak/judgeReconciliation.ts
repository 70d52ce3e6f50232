import type { PlaceObservation } from "@bursar/api/operator/OperatorReconciliation"
import type { OperatorClient } from "@bursar/client/effect"
import { Clock, Effect, Result } from "effect"
import { until } from "../test/support/until.ts"

const isNone = (money: { readonly amount: string } | null): boolean => money !== null && Number(money.amount) === 0

/** A place was compared once all was over, or is empty and no longer compared; and nothing was in flight any more. */
const isCalm =
  (over: number) =>
  ({ in_flight_least, in_flight_most, ledger, observed, observed_at }: PlaceObservation): boolean =>
    (Date.parse(observed_at) > over || (isNone(ledger) && isNone(observed))) &&
    isNone(in_flight_least) &&
    isNone(in_flight_most)

/** Where the service hears of some of what comes and goes only afterwards: money that nobody announced, and money that goes back. */
const toldLater = (place: string): boolean => place.startsWith("bank:")

/**
 * What the service's own comparison of the books with chain, custodian and bank finds wrong once all is over: what is still in flight, a
 * difference, and each break that was ever there; at the bank, each that is still there. Nobody has taken anything, so no fault may look
 * like a loss.
 */
export const judgeReconciliation = Effect.fn("soak.judgeReconciliation")(function* ({
  reconciliation
}: OperatorClient) {
  const over = yield* Clock.currentTimeMillis
  const shown = yield* Effect.result(
    until("an observation with nothing in flight", reconciliation.show(), ({ places }) => {
      return places.length > 0 && places.every(isCalm(over))
    })
  )
  if (Result.isFailure(shown)) return [shown.failure.message]
  const { breaks } = yield* reconciliation.breaks({ query: {} })
  return [
    ...shown.success.places
      .filter(({ difference }) => Number(difference?.amount) !== 0)
      .map(({ currency, difference, place }) => `the books and ${place} differ by ${difference?.amount} ${currency}`),
    ...breaks
      .filter(({ place, state }) => state !== "closed" || !toldLater(place))
      .map(({ difference, place }) => `${place} had a break of ${difference.amount} ${difference.currency}`)
  ]
})
