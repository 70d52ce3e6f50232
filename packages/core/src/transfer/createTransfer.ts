import { Result } from "effect"
import type { Customer } from "../customer/Customer.ts"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { readRecord, putRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { type Assessment, assessPayout } from "../limit/assessPayout.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import { isNewReceiver } from "../limit/newReceiver.ts"
import { of } from "../money/Amount.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { hold, holdReads } from "../operation/holds.ts"
import { newOperation } from "../operation/newOperation.ts"
import { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { spendableReads } from "../operation/spendable.ts"
import type { Payee } from "../port/FiatProvider.ts"
import { type Reached, refuseReach } from "../environment/reach.ts"
import { type Charge, chargeOf, feeReads, feeRulesAt } from "../pricing/charge.ts"
import type { FeeRule } from "../pricing/FeeRule.ts"
import { products } from "../pricing/Product.ts"
import { railCharged } from "../pricing/railCharged.ts"
import { Quote } from "../pricing/Quote.ts"
import { useQuote } from "../pricing/useQuote.ts"
import { type Acting, actingCustomer, actingReads } from "./actingCustomer.ts"
import { leavingSome } from "../pricing/leavingSome.ts"
import { feeTerms } from "./arrivalFee.ts"
import { type Move, movable } from "../pricing/movable.ts"
import { accountKey, PaidAccount } from "./PaidAccount.ts"
import { type RefundRequest, refunding, refundReads } from "./refund.ts"
import { transferQueue } from "./Transfer.ts"
import { transferLimitReads } from "./transferLimits.ts"
import { payeeDetails } from "./transferOrder.ts"

/** A wish to move fiat through the provider. */
export interface TransferRequest extends Acting, Move {
  /** Whom it pays; null for an ON_RAMP, which pays the tenant's balance, and for a REFUND, which pays who had paid. */
  readonly payee: Payee | null
  /** What a REFUND pays back. */
  readonly refund?: Pick<RefundRequest, "name" | "refundOf">
  readonly rail: string | null
  readonly quoteId: string | null
  readonly partnerReference: string | null
  readonly provider: Reached
  /** What one whole unit of the amount is worth in US dollars; null where that is not known. */
  readonly usd: Rate | null
  /** The API key of the request. */
  readonly madeBy: string
  readonly defaultFees: ReadonlyArray<FeeRule>
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/** Whom the provider has it carried out for: a customer is known there, the tenant need not be. */
const onBehalf = ({ actsFor, provider }: TransferRequest, customer: Customer | null) => {
  if (actsFor === "TENANT" || customer === null) return Result.succeed(null)
  return customer.registration?.provider === provider.name
    ? Result.succeed(customer.registration.providerCustomerId)
    : refuse("customer_not_verified", "The customer is not registered with the payout provider.")
}

const quoted = (view: View, request: TransferRequest, operationId: string) => {
  const { amount, customerId, kind, quoteId, rail, toCurrency } = request
  if (quoteId === null) return Result.succeed(undefined)
  const product = products.find((one) => one === kind)
  if (product === undefined) return refuse("quote_mismatch", `A ${kind} is not priced by quotes.`)
  return useQuote(view, { quoteId, product, amount, toCurrency, customerId, rail, operationId })
}

/** Whom a REFUND pays back; undefined for all other kinds. */
const refunded = (view: View, { amount, customerId, kind, refund }: TransferRequest, from: Currency) =>
  kind === "REFUND"
    ? refunding(view, { refundOf: null, name: "", ...refund, amount, customerId }, from)
    : Result.succeed(undefined)

/** What the rules charge; nothing for a kind that is no product, as a REFUND is none. */
const charged = (view: View, request: TransferRequest, currency: Currency): Charge => {
  const { amount, currencies, defaultFees, kind, rail: named, toCurrency } = request
  const product = products.find((one) => one === kind)
  if (product === undefined) return { fee: of(0n, currency.code), rule: undefined }
  const rail = railCharged({ product, named, from: currency, to: currencies.byCode(toCurrency) })
  return chargeOf(feeRulesAt(view, defaultFees), { product, currency, units: amount.units, rail })
}

/**
 * What the rule charges that an ON_RAMP is priced by, whatever has become of it since: a rule never changes. Nothing is kept where the rule
 * of a quote is not known any more, as one of the service's own that was configured otherwise meanwhile.
 */
const keptTerms = (
  view: View,
  { defaultFees }: TransferRequest,
  ruleId: string | null
): Pick<OperationDetails<"ON_RAMP">, "fee_terms"> => {
  const { defaults, own } = feeRulesAt(view, defaultFees)
  const rule = [...own, ...defaults].find(({ id }) => id === ruleId)
  return rule === undefined && ruleId !== null ? {} : { fee_terms: feeTerms(rule) }
}

/** What was found out of a request on the way to its operation. */
interface Found {
  readonly id: string
  /** The currency of the amount. */
  readonly from: Currency
  readonly quote: Quote | undefined
  readonly providerCustomerId: string | null
  readonly assessment: Assessment
}

const operationOf = (view: View, request: TransferRequest, found: Found): Operation => {
  const { actsFor, amount, customerId, kind, partnerReference, payee, provider, quoteId, rail, toCurrency } = request
  const { assessment, from, id, providerCustomerId, quote } = found
  const { details, inReview } = assessment
  const { fee, rule } = charged(view, request, from)
  const ruleId = quote === undefined ? (rule?.id ?? null) : quote.ruleId
  const common: OperationDetails<"OFF_RAMP"> = {
    ...details,
    made_by: request.madeBy,
    quote_id: quoteId,
    floor: quote === undefined ? null : quote.bindingFloor.units.toString(),
    fee_rule: ruleId,
    to_currency: toCurrency,
    rail,
    provider_customer_id: providerCustomerId,
    payee: payee === null ? null : payeeDetails(payee)
  }
  return newOperation(view, {
    id,
    kind,
    status: kind === "ON_RAMP" ? "AWAITING_FUNDS" : inReview ? "IN_REVIEW" : "ACCEPTED",
    amount,
    customerFee: quote?.customerFee ?? fee,
    // without a quote the provider's rate decides what another currency comes to
    toAmountQuoted: quote?.amountReceived ?? (toCurrency === amount.currency ? amount : null),
    customerId,
    actsFor,
    provider: provider.name,
    partnerReference,
    details:
      kind === "ON_RAMP"
        ? { ...common, ...keptTerms(view, request, ruleId) }
        : kind === "REFUND"
          ? { ...common, refund_of: request.refund?.refundOf ?? null }
          : common
  })
}

/**
 * What the tenant's limits say of what is paid to somebody; what comes in is not limited. The account that a REFUND pays back is
 * known only from what it refunds, and counts as new.
 */
const assessed = (view: View, { kind, amount, payee, usd }: TransferRequest, currency: Currency) =>
  kind === "ON_RAMP"
    ? Result.succeed<Assessment>({ inReview: false, details: {} })
    : assessPayout(view, {
        kind,
        units: amount.units,
        currency,
        usd,
        isNew: payee === null || isNewReceiver(view.get(PaidAccount, accountKey(payee)), view.now)
      })

/** What is reserved: nothing for an ON_RAMP, whose fee is taken from what arrives and so must be less than it. */
const reserved = (
  view: View,
  { amount, customerFee, id, kind }: Operation,
  currencies: CurrencyTable
): Result.Result<ReadonlyArray<Change>, Refusal> => {
  if (kind !== "ON_RAMP") return Result.map(hold(view, { amount, customerFee, id }, currencies), (held) => [held])
  return Result.map(leavingSome(amount, customerFee), () => [])
}

/**
 * Accepts a transfer and leaves the rest to the worker: what goes out is reserved with its fee and counted in the limits on payouts,
 * and waits for an operator from the tenant's threshold on; what is to come in waits for its funds. With a quote its price is charged, else the fee rules decide. Refuses a provider of another environment
 * (`product_not_enabled`), what the kind does not move
 * (`unsupported_asset`, `pair_unavailable`), a customer who may not (`actingCustomer`), a quote that does not fit
 * (`useQuote`), a REFUND that does not fit what it pays back (`refunding`), what the limits do not let pass (`assessPayout`), an ON_RAMP
 * that its fee would eat up (`below_minimum`) and what the float does not cover
 * (`insufficient_balance`).
 */
export const createTransfer = (request: TransferRequest): Command<Operation> => ({
  name: "CreateTransfer",
  reads: [
    ...feeReads,
    ...holdReads(request.amount.currency, "bank"),
    ...spendableReads(request.amount.currency, request.currencies),
    ...actingReads(request),
    ...transferLimitReads(request.kind, request.payee),
    ...(request.quoteId === null ? [] : [readRecord(Quote, request.quoteId)]),
    ...refundReads(request.refund)
  ],
  decide: (view) =>
    Result.gen(function* () {
      const foreign = refuseReach(view.tenant, request.provider)
      if (foreign !== undefined) return yield* Result.fail(foreign)
      const { from } = yield* movable(request)
      const refund = yield* refunded(view, request, from)
      const payee = refund === undefined ? request.payee : refund.payee
      if (request.kind !== "ON_RAMP" && payee === null)
        return yield* refuse("beneficiary_invalid", "The transfer names nobody to pay.")
      const customer = yield* actingCustomer(view, request)
      const providerCustomerId = yield* onBehalf(request, customer)
      const id = view.newId()
      const used = yield* quoted(view, request, id)
      const assessment = yield* assessed(view, request, from)
      const quote = used?.quote
      const operation = operationOf(view, { ...request, payee }, { id, from, quote, providerCustomerId, assessment })
      const held = yield* reserved(view, operation, request.currencies)
      return {
        changes: [
          putRecord(Operation, operation),
          ...held,
          ...(used === undefined ? [] : [used.change]),
          ...(refund === undefined ? [] : [refund.change]),
          ...countUsage(view, [operation], 1n),
          ...(assessment.inReview ? [] : [schedule(transferQueue, id, view.now)])
        ],
        reply: operation
      }
    })
})
