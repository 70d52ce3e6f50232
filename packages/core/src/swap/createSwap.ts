import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord, putRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { custodianQueue } from "../custody/CustodyStep.ts"
import { permit } from "../customer/permit.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Leg } from "../ledger/Leg.ts"
import { of } from "../money/Amount.ts"
import { freshPrice } from "../money/freshPrice.ts"
import { convert, type Rate } from "../money/Rate.ts"
import { newOperation } from "../operation/newOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { refuseSpending, spendableReads } from "../operation/spendable.ts"
import { chargeOf, feeReads, feeRulesAt } from "../pricing/charge.ts"
import type { FeeRule } from "../pricing/FeeRule.ts"
import { Quote } from "../pricing/Quote.ts"
import { useQuote } from "../pricing/useQuote.ts"
import { type Reached, refuseReach } from "../environment/reach.ts"
import { Customer } from "../customer/Customer.ts"
import { type Conversion, convertible } from "../pricing/convertible.ts"

/** A wish to convert, with what the world says at the moment. */
export interface SwapRequest extends Conversion {
  readonly customerId: string | null
  readonly quoteId: string | null
  readonly partnerReference: string | null
  readonly provider: Reached
  /** The API key of the request. */
  readonly madeBy: string
  /** The market's rate, for where no quote is used; null where it is not known. */
  readonly rate: Rate | null
  readonly defaultFees: ReadonlyArray<FeeRule>
}

/** The balances that a swap touches from its beginning to its end. */
export const swapReads = (from: string, to: string): ReadonlyArray<Read> =>
  [from, to].flatMap((currency) => [
    ...(["float:available", "exchange", "fees"] as const).map((account): Read => ({
      _tag: "Balance",
      account,
      currency
    })),
    ...placeReads("custodian", currency)
  ])

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/** What leaves the balance at once: `float:available` → `exchange` and `fees`. */
const leaving = ({ amount, customerFee, id }: Operation): Change => {
  const leg = { currency: amount.currency } as const
  const fee = customerFee.units
  const legs: ReadonlyArray<Leg> = [
    { ...leg, account: "float:available", direction: "DEBIT", units: amount.units, what: "convert_out" },
    { ...leg, account: "exchange", direction: "CREDIT", units: amount.units, what: "convert_out" },
    ...(fee === 0n
      ? []
      : [
          { ...leg, account: "float:available", direction: "DEBIT", units: fee, what: "fee" } as const,
          { ...leg, account: "fees", direction: "CREDIT", units: fee, what: "fee" } as const
        ])
  ]
  return { _tag: "Posted", operationId: id, legs }
}

/**
 * Accepts a conversion: amount and fee leave the balance at once, the custodian converts afterwards. With a quote its price is
 * charged, else the fee rules and the market decide. Refuses a custodian of another environment (`product_not_enabled`), what the custodian does not convert (`convertible`), a customer for whom nothing may be converted (`permit`), a rate that is not
 * freshly known (`price_unavailable`), a quote that does not fit (`useQuote`) and what the float does not cover (`insufficient_balance`).
 */
export const createSwap = (request: SwapRequest): Command<Operation> => ({
  name: "CreateSwap",
  reads: [
    ...feeReads,
    ...swapReads(request.amount.currency, request.toCurrency),
    ...spendableReads(request.amount.currency, request.currencies),
    ...(request.customerId === null ? [] : [readRecord(Customer, request.customerId)]),
    ...(request.quoteId === null ? [] : [readRecord(Quote, request.quoteId)])
  ],
  decide: (view) => {
    const { amount, customerId, quoteId, toCurrency } = request
    const foreign = refuseReach(view.tenant, request.provider)
    if (foreign !== undefined) return Result.fail(foreign)
    const rate = freshPrice(request.rate, view.now)
    const found = convertible(request)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    const { from, to } = found.success
    const customer = customerId === null ? Result.succeed(null) : permit(view, customerId, "swap")
    if (Result.isFailure(customer)) return Result.fail(customer.failure)
    const id = view.newId()
    const used =
      quoteId === null
        ? Result.succeed(undefined)
        : useQuote(view, { quoteId, product: "SWAP", amount, toCurrency, customerId, operationId: id })
    if (Result.isFailure(used)) return Result.fail(used.failure)
    const quote: Quote | undefined = used.success?.quote
    if (quote === undefined && rate === null)
      return refuse("price_unavailable", `The rate of ${from.code} to ${to.code} is not known at the moment.`)
    const { fee, rule } = chargeOf(feeRulesAt(view, request.defaultFees), {
      product: "SWAP",
      currency: from,
      units: amount.units,
      rail: null
    })
    const expected =
      quote?.amountReceived ?? of(rate === null ? 0n : convert(amount.units, from, to, rate.price, "down"), to.code)
    if (expected.units <= 0n) return refuse("below_minimum", "Nothing would be received.")
    const operation = newOperation(view, {
      id,
      kind: "SWAP",
      amount,
      customerFee: quote?.customerFee ?? fee,
      toAmountQuoted: expected,
      customerId,
      actsFor: customerId === null ? "TENANT" : "CUSTOMER",
      provider: request.provider.name,
      partnerReference: request.partnerReference,
      details: {
        made_by: request.madeBy,
        to_currency: to.code,
        quote_id: quoteId,
        // only a quote binds: without one the market decides
        floor: quote === undefined ? null : quote.bindingFloor.units.toString(),
        fee_rule: quote === undefined ? (rule?.id ?? null) : quote.ruleId
      }
    })
    const refused = refuseSpending(view, from, amount.units + operation.customerFee.units)
    if (refused !== undefined) return Result.fail(refused)
    return Result.succeed({
      changes: [
        putRecord(Operation, operation),
        leaving(operation),
        ...(used.success === undefined ? [] : [used.success.change]),
        schedule(custodianQueue, id, view.now)
      ],
      reply: operation
    })
  }
})
