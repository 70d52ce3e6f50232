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

/**
 * Why what was paid out is too little to be booked on the provider's word alone, by what both amounts are worth in US dollars; undefined where it is
 * not, or where no fresh price of one of them is known.
 */
export const implausiblePayout = (operation: Operation, paid: Amount, facts: PriceFacts): string | undefined => {
  if (!isUnpromised(operation)) return undefined
  const [ordered, worth] = [centsIn(operation.amount, facts), centsIn(paid, facts)]
  return ordered === undefined || worth === undefined || worth * conversionTimesMax >= ordered
    ? undefined
    : `what was paid out is worth ${usdText(worth)} USD, and what was ordered ${usdText(ordered)} USD`
}
