import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { type Amount, of } from "../money/Amount.ts"
import { freshPrice } from "../money/freshPrice.ts"
import { convert, type Rate } from "../money/Rate.ts"
import { leavingSome } from "./leavingSome.ts"
import { railCharged } from "./railCharged.ts"
import { chargeOf, feeReads, feeRulesAt } from "./charge.ts"
import type { FeeRule } from "./FeeRule.ts"
import { type Quotable, quotable, quotableReads } from "./quotable.ts"
import { Quote } from "./Quote.ts"

/** A wish to know a price, with what the world says at the moment. */
export interface QuoteRequest extends Quotable {
  readonly rail: string | null
  readonly country: string | null
  /** Who would carry it out, as it is shown. */
  readonly provider: string
  /** The market's rate; null where it is not known. Without meaning where nothing is converted. */
  readonly rate: Rate | null
  /** What the receiver bears of the network's cost, in the currency that is received; null where the service bears it. */
  readonly networkFee: Amount | null
  readonly lifetimeMs: number
  readonly defaultFees: ReadonlyArray<FeeRule>
}

/** The rate of a currency to itself. */
export const par: Rate = { price: { units: 1n, decimals: 0 }, source: "par", observedAt: 0 }

/**
 * Prices an operation and holds the price for a while; reserves nothing. Refuses what can never be made (`quotable`), a
 * conversion whose rate is not freshly known (`price_unavailable`) and an amount of which nothing would be received (`below_minimum`).
 */
export const createQuote = (request: QuoteRequest): Command<Quote> => ({
  name: "CreateQuote",
  reads: [...feeReads, ...quotableReads(request)],
  decide: (view) => {
    const { amount, defaultFees, product, rail } = request
    const found = quotable(view, request)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    const { from, to } = found.success
    const rate = from.code === to.code ? par : freshPrice(request.rate, view.now)
    if (rate === null)
      return Result.fail(
        new Refusal({ code: "price_unavailable", message: `The rate of ${from.code} to ${to.code} is not known.` })
      )
    const { fee, rule } = chargeOf(feeRulesAt(view, defaultFees), {
      product,
      currency: from,
      units: amount.units,
      rail: railCharged({ product, named: rail, from, to })
    })
    const some = product === "ON_RAMP" ? leavingSome(amount, fee) : Result.void
    if (Result.isFailure(some)) return Result.fail(some.failure)
    const received = convert(amount.units, from, to, rate.price, "down") - (request.networkFee?.units ?? 0n)
    if (received <= 0n)
      return Result.fail(new Refusal({ code: "below_minimum", message: "Nothing would be left for the receiver." }))
    const slipped = (received * BigInt(view.tenant.policy.slippageBps)) / 10_000n
    const quote: Quote = {
      id: view.newId(),
      product,
      amount,
      customerFee: fee,
      amountReceived: of(received, to.code),
      bindingFloor: of(received - slipped, to.code),
      exchangeRate: rate.price,
      rateSource: rate === par ? null : rate.source,
      rateObservedAt: rate === par ? null : rate.observedAt,
      provider: request.provider,
      ruleId: rule?.id ?? null,
      customerId: request.customerId,
      rail,
      country: request.country,
      createdAt: view.now,
      expiresAt: view.now + request.lifetimeMs,
      usedBy: null
    }
    return Result.succeed({ changes: [putRecord(Quote, quote)], reply: quote })
  }
})
