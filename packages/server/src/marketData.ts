import { Custodian } from "@bursar/core/port/Custodian"
import { conversionRateOf, freshly, Prices } from "@bursar/core/port/Prices"
import type { Rate } from "@bursar/core/money/Rate"
import { Effect, Option } from "effect"

/** The world outside, as far as it was configured. Without prices every price is unknown, and what is not fresh is as good as unknown; without a custodian there is none. */
export interface MarketData {
  readonly usd: (currency: string) => Effect.Effect<Rate | null>
  readonly rate: (from: string, to: string) => Effect.Effect<Rate | null>
  /** What a conversion at the custodian brings: the market's rate less its fee. Null where either is not known. */
  readonly conversionRate: (from: string, to: string) => Effect.Effect<Rate | null>
  readonly custodian: Option.Option<Custodian["Service"]>
}

const unknownPrice = () => Effect.succeed(null)

/** Finds prices and the custodian among the services that the handler's layer was given; neither must be there. */
export const marketData: Effect.Effect<MarketData> = Effect.gen(function* () {
  const prices = yield* Effect.serviceOption(Prices)
  const custodian = yield* Effect.serviceOption(Custodian)
  const rate = Option.match(prices, {
    onNone: () => unknownPrice,
    onSome: (known) => (from: string, to: string) => freshly(known.rate(from, to))
  })
  return {
    usd: Option.match(prices, {
      onNone: () => unknownPrice,
      onSome:
        ({ usd }) =>
        (currency: string) =>
          freshly(usd(currency))
    }),
    rate,
    conversionRate: (from, to) =>
      Option.match(custodian, {
        onNone: unknownPrice,
        onSome: (known) => conversionRateOf(known, rate(from, to), from, to)
      }),
    custodian
  }
})
