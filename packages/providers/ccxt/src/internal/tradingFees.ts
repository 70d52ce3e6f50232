import type { Decimal } from "@bursar/core/money/Rate"
import { Effect } from "effect"
import type { Api } from "./Api.ts"
import { type CallError, unanswered } from "./CallError.ts"
import { type Exact, zero } from "./Exact.ts"
import { type Places, routeBetween } from "./Places.ts"
import type { Market, Profile } from "./Profile.ts"
import { remembered } from "./remembered.ts"

/** How long a fee is believed. Accounts change their tier about once a day. */
const feeForMs = 600_000

const nothing: Decimal = { units: 0n, decimals: 0 }

/**
 * What the exchange keeps of a conversion, as a share: the taker's fee of the account on the market, else the one that the
 * market publishes. One of neither is not known. A rebate counts as no fee.
 */
export const tradingFees = (api: Api, profile: Profile, { coinOf, currencies, markets }: Places) => {
  const told = new Map<string, Effect.Effect<Exact, CallError>>()

  const feeAt = (market: Market): Effect.Effect<Exact, CallError> => {
    const published = (why: string) =>
      market.takerFee === null ? Effect.fail(unanswered(why)) : Effect.succeed(market.takerFee)
    const ofAccount = profile.takerFee(api, market).pipe(
      Effect.flatMap((fee) => (fee === null ? published("the exchange names no fee") : Effect.succeed(fee))),
      Effect.catch((error) => published(error.message))
    )
    const known = told.get(market.id) ?? remembered(ofAccount, feeForMs)
    told.set(market.id, known)
    return known
  }

  const conversionFee = Effect.fn("CcxtCustodian.conversionFee")(function* (fromCode: string, toCode: string) {
    const [from, to] = [currencies.byCode(fromCode), currencies.byCode(toCode)]
    if (from === undefined || to === undefined) return null
    // between the networks of one coin nothing is traded
    if (coinOf(from) === coinOf(to)) return nothing
    const read = Effect.gen(function* () {
      const route = routeBetween(yield* markets, coinOf(from), coinOf(to))
      if (route === undefined) return null
      const fee = yield* feeAt(route.market)
      return fee.units < 0n ? zero : fee
    })
    return yield* Effect.catch(read, (error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("trading_fee.unknown"), {
          from: fromCode,
          to: toCode,
          detail: error.message
        }),
        null
      )
    )
  })

  return { conversionFee }
}
