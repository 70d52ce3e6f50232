import { type Amount, format, of } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState, WithdrawOrder } from "@bursar/core/port/Custodian"
import { Effect } from "effect"
import type { CcxtOptions } from "../CcxtOptions.ts"
import { answerOf, answerOfAbsence, sendBeforeOf, tooLate } from "./answers.ts"
import type { Api } from "./Api.ts"
import type { CallError } from "./CallError.ts"
import { type Exact, toUnits } from "./Exact.ts"
import type { Places } from "./Places.ts"
import type { Profile, Terms, WireWithdrawal, WithdrawalReport } from "./Profile.ts"
import { remembered } from "./remembered.ts"
import { beforeSending } from "./wire.ts"

const termsForMs = 60_000

/** How many of the exchange's ids are kept in mind: many more than one looks back over. */
const holdersMax = 10_000

const address = /^[\x21-\x7e]{1,150}$/u
const memo = /^[\x21-\x7e](?:[\x20-\x7e]{0,98}[\x21-\x7e])?$/u

/** What the exchange calls the networks of a currency: what the configuration says, or what is known. */
const namesOf = (profile: Profile, { networks = {} }: CcxtOptions, network: Network): ReadonlyArray<string> => {
  const own = networks[network]
  return own === undefined ? (profile.networks[network] ?? []) : [own]
}

/** Whether the exchange pays a currency out at all. */
export const isWithdrawable = (profile: Profile, options: CcxtOptions, { asset }: Currency): boolean =>
  asset !== null && namesOf(profile, options, asset.network).length > 0

/** Withdrawals from an exchange. */
export const withdrawals = (api: Api, profile: Profile, { coinOf, currencies }: Places, options: CcxtOptions) => {
  const told = new Map<string, Effect.Effect<Terms | null, CallError>>()
  const termsOf = (coin: string, network: Network) => {
    const key = `${coin}|${network}`
    const known = told.get(key) ?? remembered(profile.terms(api, coin, namesOf(profile, options, network)), termsForMs)
    told.set(key, known)
    return known
  }

  /** Who was given which of the exchange's ids: where it is found by its looks, another order's is not ours. */
  const holders = new Map<string, string>()
  const hold = (id: string, reference: string) => {
    holders.set(id, reference)
    const [oldest] = holders.keys()
    if (holders.size > holdersMax && oldest !== undefined) holders.delete(oldest)
  }

  const fee = (exact: Exact | null, currency: Currency): Amount | null =>
    exact === null || exact.units < 0n ? null : of(toUnits(exact, currency.decimals, "up"), currency.code)

  const currencyOn = (code: string, network: Network) => {
    const currency = currencies.byCode(code)
    return currency?.asset?.network === network && isWithdrawable(profile, options, currency) ? currency : undefined
  }

  const wireOf = (order: WithdrawOrder, currency: Currency, network: string): WireWithdrawal => ({
    reference: order.reference,
    sentAt: order.sentAt,
    coin: coinOf(currency),
    network,
    address: order.address,
    memo: order.memo,
    amount: format(order.amount.units, currency.decimals),
    sendBefore: sendBeforeOf(options, order.sentAt),
    isOthers: (id) => (holders.get(id) ?? order.reference) !== order.reference
  })

  const stateOf = (
    order: WithdrawOrder,
    currency: Currency,
    report: WithdrawalReport,
    providerReference: string | null
  ): ProviderResult<WithdrawalState> => {
    const { id, reason, status, txHash } = report
    if (providerReference !== null && id !== providerReference) return unknown(`the exchange answered with ${id}`)
    if ((holders.get(id) ?? order.reference) !== order.reference) {
      return unknown("the only withdrawal that looks like it is another order's")
    }
    hold(id, order.reference)
    if (status === "failed") return done({ _tag: "Failed", providerReference: id, reason: reason ?? "it failed" })
    if (status === "pending") return done({ _tag: "Pending", providerReference: id, txHash })
    return done({ _tag: "Settled", providerReference: id, txHash, networkFee: fee(report.fee, currency) })
  }

  const withdraw = Effect.fn("CcxtCustodian.withdraw")(function* (
    order: WithdrawOrder
  ): Effect.fn.Return<ProviderResult<WithdrawalState>> {
    const currency = currencyOn(order.amount.currency, order.network)
    if (currency === undefined) return refused(`${order.amount.currency} cannot be withdrawn on ${order.network}`)
    if (!address.test(order.address) || (order.memo !== null && !memo.test(order.memo))) {
      return refused("the address or the memo is not written in printable ASCII")
    }
    const late = yield* tooLate(options, order.sentAt)
    if (late !== null) return late
    const sent = Effect.gen(function* () {
      const terms = yield* beforeSending(termsOf(coinOf(currency), order.network))
      if (terms === null) return null
      return yield* profile.withdraw(api, wireOf(order, currency, terms.network))
    })
    return yield* Effect.match(sent, {
      onFailure: (error): ProviderResult<WithdrawalState> => answerOf(profile, error),
      onSuccess: (id): ProviderResult<WithdrawalState> => {
        if (id === null) return refused(`the exchange does not pay out ${order.amount.currency} now`)
        hold(id, order.reference)
        return done({ _tag: "Pending", providerReference: id, txHash: null })
      }
    })
  })

  const withdrawal = Effect.fn("CcxtCustodian.withdrawal")(function* (
    order: WithdrawOrder,
    providerReference: string | null
  ): Effect.fn.Return<ProviderResult<WithdrawalState>> {
    const currency = currencies.byCode(order.amount.currency)
    if (currency === undefined) return unknown(`${order.amount.currency} is no longer known here`)
    const searched = Effect.gen(function* () {
      const terms = yield* termsOf(coinOf(currency), order.network)
      const network = terms?.network ?? namesOf(profile, options, order.network)[0] ?? ""
      return yield* profile.withdrawal(api, wireOf(order, currency, network), providerReference)
    })
    return yield* Effect.matchEffect(searched, {
      onFailure: (error) => Effect.succeed(unknown(error.message)),
      onSuccess: (result): Effect.Effect<ProviderResult<WithdrawalState>> => {
        if (result._tag === "Unclear") return Effect.succeed(unknown(result.why))
        return result._tag === "Absent"
          ? answerOfAbsence(options, profile.findsWithdrawals, order.sentAt, providerReference)
          : Effect.succeed(stateOf(order, currency, result.report, providerReference))
      }
    })
  })

  const withdrawalFee = (code: string, network: Network): Effect.Effect<Amount | null> => {
    const currency = currencyOn(code, network)
    if (currency === undefined) return Effect.succeed(null)
    return Effect.match(termsOf(coinOf(currency), network), {
      onFailure: () => null,
      onSuccess: (terms) => fee(terms?.fee ?? null, currency)
    })
  }

  return { withdraw, withdrawal, withdrawalFee }
}
