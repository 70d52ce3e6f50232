import { format, of } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState, ConvertOrder, CustodianPair } from "@bursar/core/port/Custodian"
import { Effect } from "effect"
import type { CcxtOptions } from "../CcxtOptions.ts"
import { answerOf, answerOfAbsence, sendBeforeOf, tooLate } from "./answers.ts"
import type { Api } from "./Api.ts"
import { type Exact, toUnits } from "./Exact.ts"
import { type Places, type Route, routeBetween } from "./Places.ts"
import type { Fee, Market, OrderReport, Profile, WireOrder } from "./Profile.ts"
import { beforeSending } from "./wire.ts"

/** Nothing is traded between the networks of one coin: it is one holding, and only our books change. */
const sameCoinReference = (reference: string) => `same-coin-${reference}`

const rounded = (exact: Exact | null, { code, decimals }: Currency) =>
  exact === null || exact.units <= 0n ? null : of(toUnits(exact, decimals, "up"), code)

/** A step of one base unit is none. */
const stepIn = (exact: Exact, currency: Currency) => {
  const step = rounded(exact, currency)
  return step === null || step.units === 1n ? null : step
}

/** Conversions at an exchange, by orders at the market. */
export const conversions = (
  api: Api,
  profile: Profile,
  { coinOf, currencies, markets }: Places,
  options: CcxtOptions
) => {
  const pairOf = (all: ReadonlyArray<Market>, from: Currency, to: Currency): CustodianPair | undefined => {
    if (coinOf(from) === coinOf(to)) {
      if (!all.some(({ base, quote }) => base === coinOf(from) || quote === coinOf(from))) return undefined
      // what the other side cannot write must not be lost
      const step = stepIn({ units: 1n, decimals: to.decimals }, from)
      return { from: from.code, to: to.code, minimum: null, step }
    }
    const route = routeBetween(all, coinOf(from), coinOf(to))
    if (route === undefined) return undefined
    const { market, side } = route
    return {
      from: from.code,
      to: to.code,
      minimum: rounded(side === "sell" ? market.baseMinimum : market.quoteMinimum, from),
      step: stepIn(side === "sell" ? market.baseStep : market.quoteStep, from)
    }
  }

  const pairs = Effect.map(markets, (all) =>
    currencies.all.flatMap((from) =>
      currencies.all.flatMap((to) => {
        const pair = from.code === to.code ? undefined : pairOf(all, from, to)
        return pair === undefined ? [] : [pair]
      })
    )
  )

  const sameCoin = (
    { amount, reference }: ConvertOrder,
    from: Currency,
    to: Currency
  ): ProviderResult<ConversionState> => {
    const units = toUnits({ units: amount.units, decimals: from.decimals }, to.decimals, "down")
    const providerReference = sameCoinReference(reference)
    return done({ _tag: "Settled", providerReference, received: of(units, to.code) })
  }

  const wireOf = ({ amount, reference, sentAt }: ConvertOrder, { market, side }: Route, from: Currency): WireOrder => ({
    reference,
    sentAt,
    market,
    side,
    amount: format(amount.units, from.decimals),
    sendBefore: sendBeforeOf(options, sentAt)
  })

  const objection = (order: ConvertOrder, pair: CustodianPair | undefined): string | undefined => {
    if (pair === undefined) return `${order.amount.currency} cannot be converted to ${order.to}`
    const { units } = order.amount
    if (units <= 0n || units < (pair.minimum?.units ?? 0n)) return "the amount is below the minimum"
    return units % (pair.step?.units ?? 1n) === 0n ? undefined : "the amount is not a multiple of the step"
  }

  const convert = Effect.fn("CcxtCustodian.convert")(function* (
    order: ConvertOrder
  ): Effect.fn.Return<ProviderResult<ConversionState>> {
    const [from, to] = [currencies.byCode(order.amount.currency), currencies.byCode(order.to)]
    if (from === undefined || to === undefined || from.code === to.code) {
      return refused(`${order.amount.currency} cannot be converted to ${order.to}`)
    }
    const late = yield* tooLate(options, order.sentAt)
    if (late !== null) return late
    const sent = Effect.gen(function* () {
      const all = yield* beforeSending(markets)
      const against = objection(order, pairOf(all, from, to))
      if (against !== undefined) return refused(against)
      const route = routeBetween(all, coinOf(from), coinOf(to))
      if (route === undefined) return sameCoin(order, from, to)
      const id = yield* profile.order(api, wireOf(order, route, from))
      return done<ConversionState>({ _tag: "Pending", providerReference: id })
    })
    return yield* Effect.catch(sent, (error) => Effect.succeed(answerOf(profile, error)))
  })

  /** A fee in a coin that the service keeps no books of is the operator's own: nothing that is booked fell by it. */
  const besideOf = ({ amount }: ConvertOrder, fees: ReadonlyArray<Fee>) => {
    const source = currencies.byCode(amount.currency)
    const beside = fees.flatMap((fee) => {
      const holding = [source, ...currencies.all].find((one) => one !== undefined && coinOf(one) === fee.coin)
      return holding === undefined ? [] : [of(toUnits(fee.amount, holding.decimals, "up"), holding.code)]
    })
    return beside.length === 0 ? {} : { feesBeside: beside }
  }

  /** What an exchange says that it sold, up to a whole base unit: more than was ordered is for somebody to look at. */
  const soldOf = (sold: Exact, from: Currency) => of(toUnits(sold, from.decimals, "up"), from.code)

  const stateOf = (
    order: ConvertOrder,
    report: OrderReport,
    { from, to }: { readonly from: Currency; readonly to: Currency },
    providerReference: string | null
  ): ProviderResult<ConversionState> => {
    const { id } = report
    if (providerReference !== null && id !== providerReference) return unknown(`the exchange answered with ${id}`)
    switch (report._tag) {
      case "Open":
        return done({ _tag: "Pending", providerReference: id })
      case "Dead":
        return done({ _tag: "Failed", providerReference: id, reason: report.reason })
      case "Filled":
        return report.received.units < 0n
          ? unknown(`order ${id} cost more than it brought`)
          : done({
              _tag: "Settled",
              providerReference: id,
              received: of(toUnits(report.received, to.decimals, "down"), to.code),
              sold: soldOf(report.sold, from),
              ...besideOf(order, report.beside)
            })
    }
  }

  const conversion = Effect.fn("CcxtCustodian.conversion")(function* (
    order: ConvertOrder,
    providerReference: string | null
  ): Effect.fn.Return<ProviderResult<ConversionState>> {
    const [from, to] = [currencies.byCode(order.amount.currency), currencies.byCode(order.to)]
    if (from === undefined || to === undefined) return unknown("a currency of it is no longer known here")
    if (coinOf(from) === coinOf(to)) return sameCoin(order, from, to)
    const searched = Effect.gen(function* () {
      const route = routeBetween(yield* markets, coinOf(from), coinOf(to))
      return route === undefined ? null : yield* profile.orderState(api, wireOf(order, route, from), providerReference)
    })
    return yield* Effect.matchEffect(searched, {
      onFailure: (error) => Effect.succeed(unknown(error.message)),
      onSuccess: (result): Effect.Effect<ProviderResult<ConversionState>> => {
        if (result === null) return Effect.succeed(unknown("the market is not there now"))
        if (result._tag === "Unclear") return Effect.succeed(unknown(result.why))
        return result._tag === "Absent"
          ? answerOfAbsence(options, true, order.sentAt, providerReference)
          : Effect.succeed(stateOf(order, result.report, { from, to }, providerReference))
      }
    })
  })

  return { pairs, convert, conversion }
}
