import { Result } from "effect"
import type { Customer } from "../customer/Customer.ts"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { View } from "../engine/View.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import { hold, holdReads } from "../operation/holds.ts"
import { newOperation } from "../operation/newOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Payee } from "../port/FiatProvider.ts"
import { type FeeRule, feeOf, feeRuleGroup, ranked, ruleFor } from "../pricing/FeeRule.ts"
import { products } from "../pricing/Product.ts"
import type { Quote } from "../pricing/Quote.ts"
import { useQuote } from "../pricing/useQuote.ts"
import { type Acting, actingCustomer, actingReads } from "./actingCustomer.ts"
import { type ProvidedKind, transferTopic } from "./Transfer.ts"
import { payeeDetails } from "./transferOrder.ts"

/** A wish to move fiat through the provider. */
export interface TransferWish extends Acting {
  readonly kind: ProvidedKind
  readonly amount: Amount
  /** What the payee gets; the currency of the amount for all but an OFF_RAMP. */
  readonly toCurrency: string
  /** Whom it pays; null for an ON_RAMP, which pays the tenant's balance. */
  readonly payee: Payee | null
  readonly rail: string | null
  readonly quoteId: string | null
  readonly partnerReference: string | null
  readonly provider: string
  readonly defaultFees: ReadonlyArray<FeeRule>
  readonly currencies: CurrencyTable
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/** What the kinds of transfer can move: an OFF_RAMP any currency into fiat, the others fiat unchanged. */
const movable = ({ amount, currencies, kind, toCurrency }: TransferWish): Result.Result<Currency, Refusal> => {
  const [from, to] = [currencies.byCode(amount.currency), currencies.byCode(toCurrency)]
  if (from === undefined || (kind !== "OFF_RAMP" && from.kind !== "FIAT"))
    return refuse("unsupported_asset", `${amount.currency} cannot be moved by ${kind}.`)
  if (to?.kind !== "FIAT") return refuse("unsupported_asset", `${toCurrency} is not paid to bank accounts.`)
  return kind !== "OFF_RAMP" && to.code !== from.code
    ? refuse("pair_unavailable", `${kind} converts nothing: what is received is ${from.code}.`)
    : Result.succeed(from)
}

/** Whom the provider has it carried out for: a customer is known there, the tenant need not be. */
const onBehalf = ({ actsFor, provider }: TransferWish, customer: Customer | null) => {
  if (actsFor === "TENANT" || customer === null) return Result.succeed(null)
  return customer.registration?.provider === provider
    ? Result.succeed(customer.registration.providerCustomerId)
    : refuse("customer_not_verified", "The customer is not registered with the payout provider.")
}

const quoted = (view: View, wish: TransferWish, operationId: string) => {
  const { amount, customerId, kind, quoteId, rail, toCurrency } = wish
  if (quoteId === null) return Result.succeed(undefined)
  const product = products.find((one) => one === kind)
  if (product === undefined) return refuse("quote_mismatch", `A ${kind} is not priced by quotes.`)
  const received = view.record("Quote", quoteId)?.amountReceived.currency
  if (kind === "ON_RAMP" && received !== undefined && received !== amount.currency)
    return refuse("pair_unavailable", `An ON_RAMP converts nothing: what is received is ${amount.currency}.`)
  return useQuote(view, { quoteId, product, amount, toCurrency, customerId, rail, operationId })
}

const ruleOf = (view: View, { amount, defaultFees, kind, rail }: TransferWish): FeeRule | undefined => {
  const product = products.find((one) => one === kind)
  const rules = ranked(view.recordGroup("FeeRule", feeRuleGroup), defaultFees, view.now)
  return product === undefined ? undefined : ruleFor(rules, { product, currency: amount.currency, rail })
}

const operationOf = (
  view: View,
  id: string,
  wish: TransferWish,
  from: Currency,
  quote: Quote | undefined,
  providerCustomerId: string | null
): Operation => {
  const { actsFor, amount, customerId, kind, partnerReference, payee, provider, quoteId, rail, toCurrency } = wish
  const rule = quote === undefined ? ruleOf(view, wish) : undefined
  return newOperation(view, {
    id,
    kind,
    status: kind === "ON_RAMP" ? "AWAITING_FUNDS" : "ACCEPTED",
    amount,
    customerFee: quote?.customerFee ?? of(feeOf(rule, amount.units, from), from.code),
    // without a quote the provider's rate decides what another currency comes to
    toAmountQuoted: quote?.amountReceived ?? (toCurrency === amount.currency ? amount : null),
    customerId,
    actsFor,
    provider,
    partnerReference,
    details: {
      quote_id: quoteId,
      floor: quote === undefined ? null : quote.bindingFloor.units.toString(),
      fee_rule: quote === undefined ? (rule?.id ?? null) : quote.ruleId,
      to_currency: toCurrency,
      rail,
      provider_customer_id: providerCustomerId,
      payee: payee === null ? null : payeeDetails(payee)
    }
  })
}

/** What is reserved: nothing for an ON_RAMP, whose fee is taken from what arrives and so must be less than it. */
const reserved = (
  view: View,
  { amount, customerFee, id, kind }: Operation,
  currencies: CurrencyTable
): Result.Result<ReadonlyArray<Change>, Refusal> => {
  if (kind !== "ON_RAMP") return Result.map(hold(view, { amount, customerFee, id }, currencies), (held) => [held])
  return customerFee.units < amount.units
    ? Result.succeed([])
    : refuse("below_minimum", "The fee would take all that arrives.")
}

/**
 * Accepts a transfer and leaves the rest to the worker: what goes out is reserved with its fee, what is to come in waits for
 * its funds. With a quote its price is charged, else the fee rules decide. Refuses what the kind does not move
 * (`unsupported_asset`, `pair_unavailable`), a customer who may not (`actingCustomer`), a quote that does not fit
 * (`useQuote`), an ON_RAMP that its fee would eat up (`below_minimum`) and what the float does not cover
 * (`insufficient_balance`).
 */
export const createTransfer = (wish: TransferWish): Command<Operation> => ({
  name: "CreateTransfer",
  reads: [
    readGroup("FeeRule", feeRuleGroup),
    ...holdReads(wish.amount.currency, "bank"),
    ...actingReads(wish),
    ...(wish.quoteId === null ? [] : [readRecord("Quote", wish.quoteId)])
  ],
  decide: (view) =>
    Result.gen(function* () {
      const from = yield* movable(wish)
      if (wish.kind !== "ON_RAMP" && wish.payee === null)
        return yield* refuse("beneficiary_invalid", "The transfer names nobody to pay.")
      const customer = yield* actingCustomer(view, wish)
      const providerCustomerId = yield* onBehalf(wish, customer)
      const id = view.newId()
      const used = yield* quoted(view, wish, id)
      const operation = operationOf(view, id, wish, from, used?.quote, providerCustomerId)
      const held = yield* reserved(view, operation, wish.currencies)
      return {
        changes: [
          { _tag: "OperationPut", operation } as const,
          ...held,
          ...(used === undefined ? [] : [used.change]),
          schedule(transferTopic, id, view.now)
        ],
        reply: operation
      }
    })
})
