import type { Currency, CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Effect } from "effect"
import type { CcxtOptions } from "../CcxtOptions.ts"
import type { Api } from "./Api.ts"
import type { CallError } from "./CallError.ts"
import type { Market, Profile } from "./Profile.ts"
import { remembered } from "./remembered.ts"

/** How one coin becomes another: on a market, by selling its base or by spending its quote. */
export interface Route {
  readonly market: Market
  readonly side: "buy" | "sell"
}

/** Our currencies and an exchange's coins and markets, put together. */
export interface Places {
  readonly currencies: CurrencyTable
  readonly coinOf: (currency: Currency) => string
  /** The markets between coins of ours. */
  readonly markets: Effect.Effect<ReadonlyArray<Market>, CallError>
}

const marketsForMs = 600_000

/** The market between two coins, if there is one. */
export const routeBetween = (markets: ReadonlyArray<Market>, from: string, to: string): Route | undefined => {
  const sold = markets.find(({ base, quote }) => base === from && quote === to)
  if (sold !== undefined) return { market: sold, side: "sell" }
  const bought = markets.find(({ base, quote }) => base === to && quote === from)
  return bought === undefined ? undefined : { market: bought, side: "buy" }
}

/** The name of a coin in our codes stands before the underscore: USDT_TRON is USDT. */
const coinIn = (code: string): string => code.split("_", 1)[0] ?? code

/** Puts them together. */
export const places = (
  api: Api,
  profile: Profile,
  { coins = {}, currencies = defaultCurrencies, dollars = profile.dollars }: CcxtOptions
): Places => {
  const coinOf = ({ code }: Currency) => coins[code] ?? coinIn(code)
  const known = new Set([...currencies.all.map(coinOf), ...dollars])
  const markets = Effect.map(profile.markets(api), (all) =>
    all.filter(({ base, quote }) => known.has(base) && known.has(quote))
  )
  return { currencies, coinOf, markets: remembered(markets, marketsForMs) }
}
