import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import { putRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Amount } from "../money/Amount.ts"
import type { Product } from "./Product.ts"
import { Quote } from "./Quote.ts"

/** What an operation is to be, to be compared with what was quoted. */
export interface QuoteUse {
  readonly quoteId: string
  readonly product: Product
  readonly amount: Amount
  /** What is received; undefined where the operation does not say. */
  readonly toCurrency: string | undefined
  readonly customerId: string | null
  /** The rail that is used, null where none is named; undefined where the operation has none to choose. */
  readonly rail?: string | null
  readonly operationId: string
}

/**
 * Uses up a quote for an operation, in the commit of the operation itself: no quote is ever used twice. Refuses one that is
 * not the tenant's (`not_found`), was used (`quote_already_used`), is too old (`quote_expired`) or priced something else
 * (`quote_mismatch`). The command declares `readRecord("Quote", quoteId)`.
 */
export const useQuote = (
  view: View,
  use: QuoteUse
): Result.Result<{ readonly quote: Quote; readonly change: Change }, Refusal> => {
  const quote = view.get(Quote, use.quoteId)
  if (quote === undefined) return Result.fail(new Refusal({ code: "not_found", message: "There is no such quote." }))
  if (quote.usedBy !== null)
    return Result.fail(new Refusal({ code: "quote_already_used", message: "The quote was used already." }))
  if (view.now >= quote.expiresAt)
    return Result.fail(new Refusal({ code: "quote_expired", message: "The quote has expired." }))
  const same =
    quote.product === use.product &&
    quote.amount.units === use.amount.units &&
    quote.amount.currency === use.amount.currency &&
    (use.toCurrency === undefined || quote.amountReceived.currency === use.toCurrency) &&
    (quote.customerId === null || quote.customerId === use.customerId) &&
    (use.rail === undefined || quote.rail === use.rail)
  if (!same) return Result.fail(new Refusal({ code: "quote_mismatch", message: "The quote is for another operation." }))
  return Result.succeed({ quote, change: putRecord(Quote, { ...quote, usedBy: use.operationId }) })
}
