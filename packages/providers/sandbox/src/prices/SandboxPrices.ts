import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { type Decimal, divide, parseDecimal, type Rate } from "@bursar/core/money/Rate"
import { Prices } from "@bursar/core/port/Prices"
import { Clock, Effect, Schema } from "effect"
import { ControlError, type ControlRoute, get, post } from "../control/ControlRoute.ts"
import type { SandboxStore, StoreError } from "../store/SandboxStore.ts"
import { openState } from "../store/openState.ts"
import { defaultUsd } from "./defaultUsd.ts"

/** How the prices are set up. */
export interface SandboxPricesOptions {
  readonly store: SandboxStore
  /** Which currencies there are. Default: those a service starts with. */
  readonly currencies?: CurrencyTable
  /** How much less than the market a conversion gives, in hundredths of a percent. Default 10. */
  readonly spreadBps?: number
}

/** Prices, and the controls that change them. */
export interface SandboxPrices {
  readonly prices: Prices["Service"]
  readonly routes: ReadonlyArray<ControlRoute>
}

/** Rates carry this many decimals: a dollar token in bitcoin still has thirteen digits. */
const rateDecimals = 18

const bpsPerUnit = 10_000n

const State = Schema.Record(Schema.String, Schema.NullOr(Schema.String))

const SetPrice = Schema.Struct({ currency: Schema.String, usd: Schema.NullOr(Schema.String) })

const trimmed = (units: bigint, decimals: number): Decimal =>
  decimals > 0 && units % 10n === 0n ? trimmed(units / 10n, decimals - 1) : { units, decimals }

const positive = (text: string | null | undefined): Decimal | null => {
  const decimal = text == null ? undefined : parseDecimal(text)
  return decimal === undefined || decimal.units === 0n ? null : decimal
}

const ratio = (from: Decimal, to: Decimal, spreadBps: number): Decimal =>
  trimmed(
    divide(
      from.units * 10n ** BigInt(to.decimals + rateDecimals) * (bpsPerUnit - BigInt(spreadBps)),
      to.units * 10n ** BigInt(from.decimals) * bpsPerUnit,
      "down"
    ),
    rateDecimals
  )

/** Prices that stand still until they are told otherwise, in one table in dollars; rates of pairs follow from it, less the spread. */
export const make = Effect.fn("SandboxPrices.make")(function* ({
  currencies = defaultCurrencies,
  spreadBps = 10,
  store
}: SandboxPricesOptions): Effect.fn.Return<SandboxPrices, StoreError> {
  const told = yield* openState(store, "prices", State, {})
  const observed = (price: Decimal | null) =>
    price === null
      ? Effect.succeed(null)
      : Effect.map(Clock.currentTimeMillis, (observedAt): Rate => ({ price, source: "sandbox", observedAt }))
  const usdOf = (currency: string) =>
    Effect.map(told.get, (table) =>
      currencies.byCode(currency) === undefined
        ? null
        : positive(currency in table ? table[currency] : defaultUsd[currency])
    )
  const prices = Prices.of({
    usd: (currency) => Effect.flatMap(usdOf(currency), observed),
    rate: (from, to) =>
      Effect.flatMap(Effect.all([usdOf(from), usdOf(to)]), ([mine, theirs]) => {
        if (from === to || mine === null || theirs === null) return Effect.succeed(null)
        const price = ratio(mine, theirs, spreadBps)
        return observed(price.units === 0n ? null : price)
      })
  })
  const table = Effect.map(told.get, (own) =>
    Object.fromEntries(
      currencies.all.map(({ code }) => [code, own[code] === undefined ? (defaultUsd[code] ?? null) : own[code]])
    )
  )
  const setPrice = Effect.fn("SandboxPrices.set")(function* ({ currency, usd }: typeof SetPrice.Type) {
    if (currencies.byCode(currency) === undefined || (usd !== null && positive(usd) === null)) {
      return yield* new ControlError({
        code: "invalid_request",
        message: `${usd} is no price of ${currency}`,
        hint: `Give a decimal above zero, or null for unknown. There are ${currencies.all.map(({ code }) => code).join(", ")}.`
      })
    }
    yield* Effect.mapError(
      told.update((before) => ({ ...before, [currency]: usd })),
      (error) => new ControlError({ code: "failed", message: error.message, hint: "Nothing has changed." })
    )
    return { currency, usd }
  })
  return { prices, routes: [get("/prices", () => table), post("/prices", SetPrice, setPrice)] }
})
