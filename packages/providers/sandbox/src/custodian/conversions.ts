import { type Amount, of } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { convert as converted, divide } from "@bursar/core/money/Rate"
import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState, ConvertOrder, CustodianPair } from "@bursar/core/port/Custodian"
import type { Prices } from "@bursar/core/port/Prices"
import { Clock, Effect } from "effect"
import { answerOfAbsence, isTooOld } from "../inFlight.ts"
import type { StoreError } from "../store/SandboxStore.ts"
import type { StoredState } from "../store/openState.ts"
import { type ConversionRow, type CustodianState, type Holding, moving, withOrder } from "./CustodianState.ts"
import { nextOutcome } from "./nextOutcome.ts"
import { providerReferenceOf } from "./withdrawals.ts"

/** What conversions need. */
export interface ConversionSettings {
  readonly currencies: CurrencyTable
  readonly state: StoredState<CustodianState>
  readonly prices: Prices["Service"]
  readonly held: Holding
}

const answered = (effect: Effect.Effect<ProviderResult<ConversionState>, StoreError>) =>
  Effect.catch(effect, (error) => Effect.succeed(unknown(error.message)))

const isSame = (row: ConversionRow, { amount, to }: ConvertOrder) =>
  row.currency === amount.currency && row.units === amount.units && row.to === to

/** Conversions of the sandbox, at the rate of the moment at which they are taken. To be called one at a time. */
export const conversions = ({ currencies, held, prices, state }: ConversionSettings) => {
  /** What a dollar is worth; null where the price is not known. */
  const minimumOf = Effect.fn("SandboxCustodian.minimumOf")(function* (code: string): Effect.fn.Return<Amount | null> {
    const currency = currencies.byCode(code)
    const usd = yield* prices.usd(code)
    if (currency === undefined || usd === null) return null
    return of(divide(10n ** BigInt(currency.decimals + usd.price.decimals), usd.price.units, "up"), code)
  })

  const pairs = Effect.gen(function* () {
    const minimums = yield* Effect.forEach(currencies.all, ({ code }) => minimumOf(code))
    const known = minimums.filter((minimum) => minimum !== null)
    return known.flatMap((minimum) =>
      known.flatMap(({ currency: to }): ReadonlyArray<CustodianPair> =>
        to === minimum.currency ? [] : [{ from: minimum.currency, to, minimum, step: null }]
      )
    )
  })

  const stateOf = (reference: string, row: ConversionRow): ProviderResult<ConversionState> => {
    const providerReference = providerReferenceOf(reference)
    if (row.outcome === "never") return unknown("the sandbox was told never to say")
    if (row.stage === "failed") {
      return done({ _tag: "Failed", providerReference, reason: row.reason ?? "given up" })
    }
    return done({ _tag: "Settled", providerReference, received: of(row.receivedUnits, row.to) })
  }

  const conversion = Effect.fnUntraced(function* (
    order: ConvertOrder,
    seen: string | null
  ): Effect.fn.Return<ProviderResult<ConversionState>> {
    const row = (yield* state.get).orders[order.reference]
    if (row === undefined) return yield* answerOfAbsence(order.sentAt, seen)
    if (row._tag !== "Conversion" || !isSame(row, order)) return refused("the reference is another order's")
    return stateOf(order.reference, row)
  })

  const convert = (order: ConvertOrder) =>
    answered(
      Effect.gen(function* () {
        const { amount, reference, to } = order
        const before = yield* state.get
        if (before.orders[reference] !== undefined) return yield* conversion(order, null)
        if (yield* isTooOld(order.sentAt)) return refused("the order is too old to be sent")
        const [from, target] = [currencies.byCode(amount.currency), currencies.byCode(to)]
        const rate = yield* prices.rate(amount.currency, to)
        const minimum = yield* minimumOf(amount.currency)
        if (from === undefined || target === undefined || rate === null || minimum === null) {
          return refused(`${amount.currency} cannot be converted to ${to} now`)
        }
        const receivedUnits = converted(amount.units, from, target, rate.price, "down")
        if (amount.units < minimum.units || receivedUnits === 0n) return refused("the amount is below the minimum")
        if (held(before, amount.currency) < amount.units) return refused("the balance does not suffice")
        const { outcome, rest } = nextOutcome(before, "conversion")
        const fails = outcome === "fail" || outcome === "timeout_then_fail"
        const row: ConversionRow = {
          _tag: "Conversion",
          outcome,
          currency: amount.currency,
          units: amount.units,
          reason: fails ? "the sandbox was told to let it fail" : null,
          to,
          receivedUnits,
          stage: fails ? "failed" : "taken"
        }
        const at = yield* Clock.currentTimeMillis
        const words = { at, references: [providerReferenceOf(reference)], text: "conversion" }
        yield* state.update((now) => {
          const taken = withOrder({ ...now, script: rest }, reference, row)
          return fails ? taken : moving(moving(taken, amount.currency, -amount.units, words), to, receivedUnits, words)
        })
        return outcome === "settle" || outcome === "fail"
          ? done<ConversionState>({ _tag: "Pending", providerReference: providerReferenceOf(reference) })
          : unknown("the sandbox was told to let the caller wait in vain")
      })
    )

  return { pairs, convert, conversion }
}
