import { Clock, Context, Effect, Option } from "effect"
import { afterFee } from "../money/afterFee.ts"
import { freshPrice } from "../money/freshPrice.ts"
import type { Rate } from "../money/Rate.ts"
import type { Custodian } from "./Custodian.ts"

/**
 * What currencies are worth. `null` says that it is not known, or not known freshly enough: never a guess, never zero. Asking
 * never fails; a source that cannot be reached makes prices unknown.
 */
export class Prices extends Context.Service<
  Prices,
  {
    /** What one whole unit of a currency is worth in US dollars. */
    readonly usd: (currency: string) => Effect.Effect<Rate | null>
    /** What one whole unit of `from` is worth in `to` at the market. */
    readonly rate: (from: string, to: string) => Effect.Effect<Rate | null>
  }
>()("@bursar/core/port/Prices") {}

/** What a source of prices says, null where that is not fresh: for whoever tells or plans with it before any decider is asked. */
export const freshly = (asked: Effect.Effect<Rate | null>): Effect.Effect<Rate | null> =>
  Effect.flatMap(asked, (seen) => Effect.map(Clock.currentTimeMillis, (now) => freshPrice(seen, now)))

/** What one whole unit of `from` is worth in `to` at the market, as far as it is freshly known and anybody can be asked here. */
export const rateOf = (from: string, to: string): Effect.Effect<Rate | null> =>
  Effect.flatMap(
    Effect.serviceOption(Prices),
    Option.match({ onNone: () => Effect.succeed(null), onSome: (prices) => freshly(prices.rate(from, to)) })
  )

/** What a conversion at a custodian brings: the market's rate less its fee. Null where either is not known. */
export const conversionRateOf = (
  { conversionFee }: Pick<Custodian["Service"], "conversionFee">,
  rate: Effect.Effect<Rate | null>,
  from: string,
  to: string
): Effect.Effect<Rate | null> =>
  Effect.zipWith(rate, conversionFee(from, to), (price, fee) =>
    price === null || fee === null ? null : afterFee(price, fee)
  )

/** What some currencies are worth in US dollars, as far as it is known; undefined where nobody can be asked here. */
export const askedUsdOf = Effect.fnUntraced(function* (
  currencies: Iterable<string>
): Effect.fn.Return<ReadonlyMap<string, Rate> | undefined> {
  const prices = yield* Effect.serviceOption(Prices)
  const usd = new Map<string, Rate>()
  if (Option.isNone(prices)) return undefined
  for (const currency of new Set(currencies)) {
    const rate = yield* prices.value.usd(currency)
    if (rate !== null) usd.set(currency, rate)
  }
  return usd
})

/** What some currencies are worth in US dollars, as far as it is known and anybody can be asked here. */
export const usdOf = (currencies: Iterable<string>): Effect.Effect<ReadonlyMap<string, Rate>> =>
  Effect.map(askedUsdOf(currencies), (usd) => usd ?? new Map())
