import { excessiveFee } from "../custody/excessiveFee.ts"
import { centsIn, type PriceFacts } from "../limit/worth.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "../operation/Operation.ts"
import type { ConversionState } from "../port/Custodian.ts"
import { toCurrencyOf } from "./toCurrencyOf.ts"

/** What a custodian tells of a conversion that it says is made. */
export type MadeConversion = Extract<ConversionState, { readonly _tag: "Settled" }>

/** Why what is reported cannot be so: it is not what was ordered, or it is nothing. Undefined where it can. */
export const impossibleConversion = (
  operation: Operation,
  { feesBeside = [], received, sold }: MadeConversion,
  currencies: Pick<CurrencyTable, "byCode">
): string | undefined => {
  const { amount } = operation
  if (received.currency !== toCurrencyOf(operation)) return `${received.currency} was reported as received`
  if (received.units <= 0n) return "nothing was reported as received"
  if (sold !== undefined && sold.currency !== amount.currency) return `${sold.currency} was reported as sold`
  if (sold !== undefined && sold.units > amount.units)
    return `${sold.units} units were reported as sold, and ${amount.units} were ordered`
  if (feesBeside.some(({ units }) => units <= 0n)) return "a fee of nothing or less was reported"
  const strange = feesBeside.find(({ currency }) => currencies.byCode(currency) === undefined)
  return strange && `a fee in ${strange.currency} was reported, which is no currency here`
}

/** How many times more, or less, a conversion may bring than it was to come to at its acceptance. */
export const conversionTimesMax = 2n

/** The most of an order, in its base units, that may be left unsold. */
export const unsoldMax = (orderedUnits: bigint): bigint => orderedUnits / 50n

/** What may be left of an order unsold, in US cents: it is less than the smallest step of an exchange. */
export const unsoldCentsMax = 500n

/** Why what is reported is a part of the order: the rest is still held, and would be taken from the tenant for nothing. */
const unsold = ({ amount }: Operation, { sold }: MadeConversion, facts: PriceFacts): string | undefined => {
  const units = sold === undefined ? 0n : amount.units - sold.units
  if (sold === undefined || units === 0n) return undefined
  const told = `${sold.units} units were reported as sold, of ${amount.units} that were ordered`
  if (units > unsoldMax(amount.units)) return told
  const cents = centsIn({ ...amount, units }, facts)
  if (cents === undefined) return `${told}, and no fresh price of ${amount.currency} is known`
  return cents <= unsoldCentsMax ? undefined : told
}

const strayed = ({ details, toAmountQuoted: expected }: Operation, received: Amount): string | undefined => {
  if (expected === null || expected.currency !== received.currency)
    return "what it was to come to at its acceptance is not known"
  const { would_bring: later } = details
  const possible = [expected.units, ...(later === undefined ? [] : [BigInt(later)])]
  const isTooMuch = possible.every((units) => received.units > units * conversionTimesMax)
  const isTooLittle = possible.every((units) => received.units * conversionTimesMax < units)
  return isTooMuch || isTooLittle
    ? `${received.units} units were reported as received, and ${possible.join(", or later ")} were to come`
    : undefined
}

/**
 * Why what is reported is too far from what was to be expected to be booked on the custodian's word alone: a number that was misread, or is a lie,
 * would be credited; or only a part of the order was carried out. Undefined where it is not. What was to come is what the quote, or the market's rate at
 * acceptance, said; or what people were told that the market would give, when they were asked whether to send it all the same (`would_bring`).
 */
export const implausibleConversion = (
  operation: Operation,
  made: MadeConversion,
  facts: PriceFacts
): string | undefined => {
  const { feesBeside = [], received } = made
  return (
    unsold(operation, made, facts) ??
    strayed(operation, received) ??
    excessiveFee(feesBeside, { ...facts, ordered: operation.amount })
  )
}
