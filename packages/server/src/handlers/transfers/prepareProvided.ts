import type { ApiError } from "@bursar/api/errors/ApiError"
import type { CreateTransfer } from "@bursar/api/wire/Transfer"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { isUuid } from "@bursar/core/base/uuid"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import type { Amount } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Rate } from "@bursar/core/money/Rate"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Payee } from "@bursar/core/port/FiatProvider"
import type { FeeRule } from "@bursar/core/pricing/FeeRule"
import { Quote } from "@bursar/core/pricing/Quote"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import type { ProvidedKind } from "@bursar/core/transfer/Transfer"
import type { Reached } from "@bursar/core/environment/reach"
import { Effect, Result } from "effect"
import { orUnavailable } from "../../refusals.ts"
import { type BankProblem, bankRefusal, countryProblems, railProblems } from "./bankProblems.ts"
import { countryNamed, nameProblems, payeeOf } from "./payee.ts"
import type { InternalContext } from "./prepareInternal.ts"
import { payoutCurrency, railOf } from "./railScheme.ts"

/** What the service knows beside the request. */
export interface ProvidedContext extends InternalContext {
  readonly provider: Reached
  readonly usd: (currency: string) => Effect.Effect<Rate | null>
  readonly madeBy: string
  readonly defaultFees: ReadonlyArray<FeeRule>
}

/** A transfer that the provider is to carry out, its kind and its amount read. */
export interface ProvidedTransfer {
  readonly kind: ProvidedKind
  readonly amount: Amount
  readonly payload: CreateTransfer
}

const onlyBalance = new Refusal({
  code: "beneficiary_invalid",
  message: "An ON_RAMP credits the balance and pays no account: omit beneficiary."
})

const onlyBack = new Refusal({
  code: "beneficiary_invalid",
  message: "A REFUND pays the account that the money came from: omit beneficiary."
})

const noCurrency = new Refusal({
  code: "pair_unavailable",
  message: "The currency of the payment is unknown: use a quote, or name the rail or the country."
})

/** What the receiver gets: what was quoted; the same fiat; else what the rail or the country says. */
const receivedOf = (
  { amount, kind, payload }: ProvidedTransfer,
  quote: Quote | undefined,
  currencies: CurrencyTable
): string | undefined => {
  if (kind !== "OFF_RAMP") return amount.currency
  if (quote !== undefined) return quote.amountReceived.currency
  if (currencies.byCode(amount.currency)?.kind === "FIAT") return amount.currency
  return payoutCurrency(payload.rail ?? null, countryNamed(payload))
}

const unlessWrong = (problems: ReadonlyArray<BankProblem>): Result.Result<null, Refusal> =>
  problems.length > 0 ? Result.fail(bankRefusal(problems)) : Result.succeed(null)

/** A REFUND pays who had paid, which its source says; its name, rail and countries must do all the same. */
const paidBack = (payload: CreateTransfer, toCurrency: string, rail: string | null): Result.Result<null, Refusal> => {
  if (payload.beneficiary != null) return Result.fail(onlyBack)
  return unlessWrong([
    ...nameProblems(payload.beneficiary_name),
    ...railProblems(rail, toCurrency),
    ...countryProblems(payload)
  ])
}

/** Nobody is paid by an ON_RAMP; the rail that it comes by moves its currency, and a country that it names is one. */
const paidIn = (payload: CreateTransfer, currency: string, rail: string | null): Result.Result<null, Refusal> => {
  if (payload.beneficiary != null) return Result.fail(onlyBalance)
  return unlessWrong([...railProblems(rail, currency), ...countryProblems(payload)])
}

/** Whom it pays, or everything that is wrong with that. Nobody is looked at where nothing can be paid anyway. */
const paid = (
  { kind, payload }: ProvidedTransfer,
  { rail, toCurrency }: { readonly toCurrency: string; readonly rail: string | null },
  currencies: CurrencyTable
): Result.Result<Payee | null, Refusal> => {
  if (kind === "ON_RAMP") return paidIn(payload, toCurrency, rail)
  if (kind === "REFUND") return paidBack(payload, toCurrency, rail)
  if (currencies.byCode(toCurrency)?.kind !== "FIAT") return Result.succeed(null)
  return Result.mapError(payeeOf(payload, toCurrency, rail), bankRefusal)
}

/** `beneficiary_account` of a REFUND is the id of what it pays back. */
const refundIn = ({ beneficiary_account, beneficiary_name }: CreateTransfer) => {
  const given = beneficiary_account.trim().toLowerCase()
  return { refundOf: isUuid(given) ? given : null, name: beneficiary_name.trim() }
}

/** What moves fiat through the provider. */
export const prepareProvided = Effect.fnUntraced(function* (
  { currencies, defaultFees, madeBy, provider, queries, tenantId, usd }: ProvidedContext,
  { amount, kind, payload }: ProvidedTransfer
): Effect.fn.Return<Command<Operation>, ApiError> {
  const { acts_for = "TENANT", customer_id = null, partner_reference = null, quote_id = null } = payload
  const quote = quote_id === null ? undefined : yield* orUnavailable(queries.record(tenantId, Quote, quote_id))
  const rail = payload.rail == null ? (quote?.rail ?? null) : railOf(payload.rail)
  const toCurrency = receivedOf({ kind, amount, payload }, quote, currencies)
  if (toCurrency === undefined) return rejectWith("CreateTransfer", noCurrency)
  const payee = paid({ kind, amount, payload }, { toCurrency, rail }, currencies)
  if (Result.isFailure(payee)) return rejectWith("CreateTransfer", payee.failure)
  return createTransfer({
    kind,
    amount,
    toCurrency,
    payee: payee.success,
    ...(kind === "REFUND" && { refund: refundIn(payload) }),
    rail,
    quoteId: quote_id,
    customerId: customer_id,
    actsFor: acts_for,
    partnerReference: partner_reference,
    provider,
    usd: kind === "ON_RAMP" ? null : yield* usd(amount.currency),
    madeBy,
    defaultFees,
    currencies
  })
})
