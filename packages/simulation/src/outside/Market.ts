import type { Decimal, Rate } from "@bursar/core/money/Rate"
import type { Prices } from "@bursar/core/port/Prices"
import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Faults } from "./Faults.ts"

/** A rate that the service was told, and when. */
export interface ToldRate extends Rate {
  readonly from: string
  readonly to: string
}

/** What things are worth, and what the service was told of it. */
export interface Market {
  readonly prices: Prices["Service"]
  /** What one whole unit of a currency truly comes to in another now. */
  readonly rate: (from: string, to: string) => Decimal
  /** The most that it can ever come to. */
  readonly bestRate: (from: string, to: string) => Decimal
  /** The rates that the service was told, with the moments at which they were seen. */
  readonly told: ReadonlyArray<ToldRate>
}

/** Between which prices each currency moves, in ten-thousandths of a dollar. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ETH: [15_000_000, 25_000_000],
  BTC: [200_000_000, 300_000_000],
  TRX: [1_000, 3_000],
  USDT_TRON: [10_000, 10_000],
  EUR: [10_500, 11_500],
  USD: [10_000, 10_000],
  USDC_ETH: [9_800, 10_200],
  USDT_ETH: [10_000, 10_000]
}

const partsOfDollar = 4
const rateDecimals = 12

/** The least that one whole unit was ever worth, in millionths of a dollar. */
export const leastMillionths = (currency: string): bigint => BigInt(ranges[currency]?.[0] ?? 0) * 100n

/** How far back the moment of an old price lies. */
const staleMs = 3_600_000

const quotient = (from: number, to: number): Decimal => ({
  units: (BigInt(from) * 10n ** BigInt(rateDecimals)) / BigInt(to),
  decimals: rateDecimals
})

/** How a market differs from others. */
export interface MarketOptions {
  readonly random: Random
  readonly faults: Faults
  readonly now: () => number
  /** What it has prices of, of all that is only priced where it is paid on the chain. */
  readonly own: ReadonlyArray<string>
}

/** What is only priced in worlds of its network. */
const ownOfNetworks: ReadonlySet<string> = new Set(["BTC", "ETH", "TRX", "USDT_TRON"])

/** A market whose prices move now and then, and which is not always heard. */
export const makeMarket = ({ faults, now, own, random }: MarketOptions): Market => {
  const known = Object.entries(ranges).filter(([currency]) => own.includes(currency) || !ownOfNetworks.has(currency))
  const prices = new Map(known.map(([currency, [least]]) => [currency, least]))
  const told: Array<ToldRate> = []
  const move = (): void => {
    for (const [currency, [least, most]] of known) prices.set(currency, least + random.below(most - least + 1))
  }
  move()
  const price = (currency: string): number | undefined => prices.get(currency)
  const seen = (units: Decimal | undefined): Rate | null => {
    if (units === undefined || faults.strikes("prices.unknown")) return null
    return { price: units, source: "market", observedAt: now() - (faults.strikes("prices.stale") ? staleMs : 0) }
  }
  const looked = <A>(look: () => A): Effect.Effect<A> =>
    Effect.sync(() => {
      if (faults.strikes("prices.move")) move()
      return look()
    })
  const between = (of: (currency: string, side: 0 | 1) => number | undefined) => (from: string, to: string) => {
    const [one, other] = [of(from, 1), of(to, 0)]
    return one === undefined || other === undefined ? undefined : quotient(one, other)
  }
  const sure = (rate: Decimal | undefined): Decimal => {
    if (rate === undefined) throw new Error("the market has no such currency")
    return rate
  }
  const current = between(price)
  const best = between((currency, side) => ranges[currency]?.[side])
  return {
    told,
    rate: (from, to) => sure(current(from, to)),
    bestRate: (from, to) => sure(best(from, to)),
    prices: {
      usd: (currency) =>
        looked(() => {
          const units = price(currency)
          return seen(units === undefined ? undefined : { units: BigInt(units), decimals: partsOfDollar })
        }),
      rate: (from, to) =>
        looked(() => {
          const rate = seen(current(from, to))
          if (rate !== null) told.push({ ...rate, from, to })
          return rate
        })
    }
  }
}
