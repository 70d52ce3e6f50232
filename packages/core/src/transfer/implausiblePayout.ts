import { centsIn, type PriceFacts } from "../limit/worth.ts"
import type { Amount } from "../money/Amount.ts"
import type { Operation } from "../operation/Operation.ts"
import { conversionTimesMax } from "../swap/implausibleConversion.ts"
import { usdText } from "../tenant/usd.ts"
import { receivedCurrencyOf } from "./transferOrder.ts"

/** Whether nothing but the worth of its currencies tells what an operation should pay out: no quote promised anything, and it converts. */
export const isUnpromised = (operation: Operation): boolean =>
  operation.kind === "OFF_RAMP" &&
  operation.toAmountQuoted === null &&
  receivedCurrencyOf(operation) !== operation.amount.currency

/** The most that the provider alone is believed to have paid out: a decimal may be misread. Undefined where only prices tell what was to be paid. */
export const mostBelieved = (operation: Operation): Amount | undefined => {
  const { amount, toAmountQuoted } = operation
  const due = toAmountQuoted ?? (receivedCurrencyOf(operation) === amount.currency ? amount : undefined)
  return due && { ...due, units: due.units * conversionTimesMax }
}

/**
 * Why what was paid out is not booked on the provider's word alone: by what both amounts are worth in US dollars it is too little for what was ordered,
 * less what came `returned` of it, or too much for all that was ordered, or no fresh price tells what one of them is worth. Undefined where it is plausible.
 */
export const implausiblePayout = (
  operation: Operation,
  paid: Amount,
  facts: PriceFacts,
  returned = 0n
): string | undefined => {
  if (!isUnpromised(operation)) return undefined
  const { currency, units } = operation.amount
  const [whole, worth] = [centsIn({ currency, units }, facts), centsIn(paid, facts)]
  const left = centsIn({ currency, units: units - returned }, facts)
  if (whole === undefined || left === undefined || worth === undefined)
    return `no fresh price of ${whole === undefined ? currency : paid.currency} is known`
  if (worth > whole * conversionTimesMax)
    return `what was paid out is worth ${usdText(worth)} USD, and what was ordered ${usdText(whole)} USD`
  const what = returned === 0n ? "what was ordered" : "what did not come back of what was ordered"
  return worth * conversionTimesMax >= left
    ? undefined
    : `what was paid out is worth ${usdText(worth)} USD, and ${what} ${usdText(left)} USD`
}
