import { type Decimal, divide, type Rate } from "@bursar/core/money/Rate"
import { Prices } from "@bursar/core/port/Prices"
import { Clock, Effect, Layer } from "effect"
import type { CcxtOptions } from "./CcxtOptions.ts"
import * as Api from "./internal/Api.ts"
import { type Exact, plus, times } from "./internal/Exact.ts"
import { places, routeBetween } from "./internal/Places.ts"
import { profiles } from "./exchange/profiles.ts"
import type { Market } from "./internal/Profile.ts"
import { remembered } from "./internal/remembered.ts"

interface Offer {
  readonly bid: Exact
  readonly ask: Exact
  readonly observedAt: number
}

interface Seen {
  readonly markets: ReadonlyArray<Market>
  readonly offers: ReadonlyMap<string, Offer>
}

const staleAfterMsDefault = 60_000
const freshForMsDefault = 5_000

/** Prices that had to be divided carry this many decimals. */
const dividedDecimals = 18

const one: Decimal = { units: 1n, decimals: 0 }

const half: Exact = { units: 5n, decimals: 1 }

const inverse = ({ decimals, units }: Exact): Decimal => ({
  units: divide(10n ** BigInt(dividedDecimals + decimals), units, "down"),
  decimals: dividedDecimals
})

const nothingSeen: Seen = { markets: [], offers: new Map() }

/**
 * Prices of an exchange. A rate is what its book offers now: the best bid for what is sold, the best ask for what is bought,
 * before its trading fee. A price in dollars lies in the middle. What the exchange does not trade, what it has not told, and
 * what it told too long ago is unknown. What the exchange does not date counts from before it was asked.
 */
export const make = Effect.fn("CcxtPrices.make")(function* (options: CcxtOptions): Effect.fn.Return<Prices["Service"]> {
  const { exchange, freshForMs = freshForMsDefault, staleAfterMs = staleAfterMsDefault } = options
  const profile = profiles[exchange]
  const dollars = options.dollars ?? profile.dollars
  const api = yield* Api.make(options, profile.refusalOf, null)
  const { coinOf, currencies, markets } = places(api, profile, options)

  let last = nothingSeen
  const look = Effect.gen(function* () {
    const all = yield* markets
    const now = yield* Clock.currentTimeMillis
    const tickers = yield* profile.tickers(api, all)
    const offers = tickers
      .filter(({ ask, bid }) => bid.units > 0n && ask.units > 0n)
      .map(({ ask, at, bid, market }) => [market, { bid, ask, observedAt: Math.min(at ?? now, now) }] as const)
    return { markets: all, offers: new Map(offers) }
  }).pipe(
    Effect.tap((seen) => Effect.sync(() => void (last = seen))),
    // What was seen before is told again until it is stale; asking more often than that would not help.
    Effect.catch((error) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning("prices.unreadable"), { exchange, detail: error.message }), last)
    ),
    (reading) => remembered(reading, freshForMs)
  )

  const told = (price: Decimal, source: string, observedAt: number) =>
    Effect.map(Clock.currentTimeMillis, (now): Rate | null =>
      now - observedAt > staleAfterMs || price.units <= 0n ? null : { price, source, observedAt }
    )
  const always = (price: Decimal) =>
    Effect.map(Clock.currentTimeMillis, (observedAt): Rate => ({ price, source: exchange, observedAt }))
  const none = Effect.succeed<Rate | null>(null)

  const at = (from: string, to: string, price: (offer: Offer, side: "buy" | "sell") => Decimal) =>
    Effect.flatMap(look, ({ markets: all, offers }) => {
      const route = routeBetween(all, from, to)
      const offer = route === undefined ? undefined : offers.get(route.market.id)
      if (route === undefined || offer === undefined) return none
      return told(price(offer, route.side), `${exchange}:${route.market.id}`, offer.observedAt)
    })

  const market = (from: string, to: string) =>
    at(from, to, ({ ask, bid }, side) => (side === "sell" ? bid : inverse(ask)))
  const middle = (from: string, to: string) =>
    at(from, to, ({ ask, bid }, side) => {
      const mid = times(plus(bid, ask), half)
      return side === "sell" ? mid : inverse(mid)
    })

  return Prices.of({
    usd: Effect.fn("CcxtPrices.usd")(function* (code) {
      const currency = currencies.byCode(code)
      if (currency === undefined) return null
      const coin = coinOf(currency)
      for (const dollar of dollars) {
        const rate = coin === dollar ? yield* always(one) : yield* middle(coin, dollar)
        if (rate !== null) return rate
      }
      return null
    }),
    rate: Effect.fn("CcxtPrices.rate")(function* (fromCode, toCode) {
      const [from, to] = [currencies.byCode(fromCode), currencies.byCode(toCode)]
      if (from === undefined || to === undefined || from.code === to.code) return null
      return yield* coinOf(from) === coinOf(to) ? always(one) : market(coinOf(from), coinOf(to))
    })
  })
})

/** Prices of an exchange. */
export const layer = (options: CcxtOptions): Layer.Layer<Prices> => Layer.effect(Prices, make(options))
