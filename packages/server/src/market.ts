import { Custodian } from "@bursar/core/port/Custodian"
import { Prices } from "@bursar/core/port/Prices"
import type { Rate } from "@bursar/core/money/Rate"
import { Effect, Option } from "effect"

/** The world outside, as far as it was configured. Without prices every price is unknown; without a custodian there is none. */
export interface Market {
  readonly usd: (currency: string) => Effect.Effect<Rate | null>
  readonly rate: (from: string, to: string) => Effect.Effect<Rate | null>
  readonly custodian: Option.Option<Custodian["Service"]>
}

const unknownPrice = () => Effect.succeed(null)

/** Finds prices and the custodian among the services that the handler's layer was given; neither must be there. */
export const market: Effect.Effect<Market> = Effect.gen(function* () {
  const prices = yield* Effect.serviceOption(Prices)
  return {
    usd: Option.match(prices, { onNone: () => unknownPrice, onSome: ({ usd }) => usd }),
    rate: Option.match(prices, { onNone: () => unknownPrice, onSome: ({ rate }) => rate }),
    custodian: yield* Effect.serviceOption(Custodian)
  }
})
