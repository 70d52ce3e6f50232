import { CallTurns } from "@bursar/core/port/CallTurns"
import { Custodian } from "@bursar/core/port/Custodian"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Effect, Layer, Schema } from "effect"
import type { CcxtOptions, Credentials } from "./CcxtOptions.ts"
import * as Api from "./internal/Api.ts"
import type { CallError } from "./internal/CallError.ts"
import { conversions } from "./internal/conversions.ts"
import { toUnits, zero } from "./internal/Exact.ts"
import { places } from "./internal/Places.ts"
import { profiles } from "./exchange/profiles.ts"
import { tradingFees } from "./internal/tradingFees.ts"
import { isWithdrawable, withdrawals } from "./internal/withdrawals.ts"

/** The exchange cannot be used as it is configured. */
export class CcxtMisconfigured extends Schema.TaggedError<CcxtMisconfigured>()("CcxtMisconfigured", {
  exchange: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.exchange}: ${this.detail}`
  }
}

/** A custodian needs a way in. */
export type CcxtCustodianOptions = CcxtOptions & { readonly credentials: Credentials }

const withPassphrase = new Set(["okx", "bitget"])

/**
 * A custodian at an exchange. What moves value is sent once, under our reference where the exchange takes one; whatever is
 * not certain is Unknown and is found by that reference later. Kraken takes none for withdrawals: one whose answer was not
 * seen is Unknown until exactly one withdrawal looks like it.
 *
 * An operator uses an account of the exchange for this service alone, allows its key to withdraw to saved addresses only, and
 * lets fees be taken in the coins that are traded.
 */
export const make = Effect.fn("CcxtCustodian.make")(function* (
  options: CcxtCustodianOptions
): Effect.fn.Return<Custodian["Service"], CcxtMisconfigured, CallTurns> {
  const { credentials, exchange } = options
  if (withPassphrase.has(exchange) && credentials.passphrase === undefined) {
    return yield* new CcxtMisconfigured({ exchange, detail: "its keys come with a passphrase, which is missing" })
  }
  const profile = profiles[exchange]
  const api = yield* Api.make(options, profile.refusalOf, yield* CallTurns)
  const where = places(api, profile, options)
  const { coinOf, currencies, markets } = where
  const { conversion, convert, pairs } = conversions(api, profile, where, options)
  const { conversionFee } = tradingFees(api, profile, where)
  const { withdraw, withdrawal, withdrawalFee } = withdrawals(api, profile, where, options)

  const reading =
    (doing: string) =>
    <A>(effect: Effect.Effect<A, CallError>) =>
      Effect.mapError(effect, (error) => new ProviderError({ provider: exchange, doing, detail: error.message }))

  const assets = Effect.map(markets, (all) => {
    const coins = new Set(all.flatMap(({ base, quote }) => [base, quote]))
    return currencies.all
      .filter((currency) => coins.has(coinOf(currency)))
      .map((currency) => ({
        currency: currency.code,
        withdrawable: isWithdrawable(profile, options, currency),
        pool: coinOf(currency)
      }))
  })

  const balances = Effect.map(
    profile.balances(api),
    (held) =>
      new Map(
        currencies.all.map((currency) => [
          currency.code,
          toUnits(held.get(coinOf(currency)) ?? zero, currency.decimals, "down")
        ])
      )
  )

  return Custodian.of({
    name: exchange,
    environment: "LIVE",
    assets: reading("reading its markets")(assets),
    pairs: reading("reading its markets")(pairs),
    balances: reading("reading its balances")(balances),
    networkFeeBorneBy: profile.networkFeeBorneBy,
    withdrawalFee,
    conversionFee,
    convert,
    conversion,
    withdraw,
    withdrawal
  })
})

/** A custodian at an exchange. */
export const layer = (options: CcxtCustodianOptions): Layer.Layer<Custodian, CcxtMisconfigured, CallTurns> =>
  Layer.effect(Custodian, make(options))
