import { type Amount, of } from "../money/Amount.ts"
import { concluded } from "../operation/moveOperation.ts"
import { inSuspense } from "../operation/inSuspense.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { floorOf } from "../pricing/floorOf.ts"
import { arrivalFee } from "./arrivalFee.ts"
import { senderDetails } from "./sender.ts"
import { implausiblePayout, isUnpromised, mostBelieved } from "./implausiblePayout.ts"
import { disputedAmount, overruledBy, toldAmount } from "./overruled.ts"
import { type Decided, disputed, put, shown, type TransferCase, undisputed } from "./transferCase.ts"
import { arrivedPostings, paidPostings, placedPostings } from "./transferLegs.ts"
import { accountPaid } from "./transferLimits.ts"
import { receivedCurrencyOf } from "./transferOrder.ts"

const settledAs = ({ currencies, operation, view }: TransferCase, patch: Partial<Operation>): Decided =>
  concluded(view, currencies, operation, "settled", patch)

/** Puts what arrived in `suspense`: it is not dropped and not credited, and somebody has to look. */
const suspended = (given: TransferCase, state: TransferState, came: Amount, why: string): Decided => {
  const { changes, operation } = disputed(given, why, state.providerReference, {
    ...senderDetails(given.operation, state.sender),
    arrived: came.units.toString(),
    arrived_currency: came.currency,
    suspended: true,
    reason: why
  })
  return { operation, changes: [...changes, ...arrivedPostings(operation)] }
}

/** How many times what was announced may arrive on the provider's word alone. */
const arrivalTimesMax = 100n

/**
 * An ON_RAMP whose money came: what arrived is credited, less the fee of what arrived, whatever was announced or quoted. What
 * the fee would take whole, or what has no price, and another currency go to `suspense`; how much came must be told, in a currency of the table, and
 * more than `arrivalTimesMax` times what was announced takes operators' word. `more` is kept of what is disputed.
 */
export const arrived = (given: TransferCase, state: TransferState, more: OperationDetails<"ON_RAMP"> = {}): Decided => {
  const { currencies, operation } = given
  const { amount, customerFee } = operation
  const came = state.received
  const currency = came === null ? undefined : currencies.byCode(came.currency)
  if (came === null) return disputed(given, "the provider does not say how much arrived", state.providerReference, more)
  if (currency === undefined)
    return disputed(given, `${shown(given, came)} is said to have arrived`, state.providerReference, {
      ...more,
      ...toldAmount(came)
    })
  if (came.currency !== amount.currency)
    return suspended(given, state, came, `${shown(given, came)} arrived where ${amount.currency} was to come`)
  if (given.stated === undefined && came.units > amount.units * arrivalTimesMax)
    return disputed(
      given,
      `${shown(given, came)} is said to have arrived where ${shown(given, amount)} was announced`,
      state.providerReference,
      { ...more, ...toldAmount(came) }
    )
  const fee = arrivalFee(operation, came.units, currency)
  if (fee === undefined)
    return suspended(given, state, came, `${shown(given, came)} arrived, of which the fee is not known`)
  if (fee >= came.units)
    return suspended(given, state, came, `${shown(given, came)} arrived, which the fee would take whole`)
  const exact = came.units === amount.units
  const { changes, operation: after } = settledAs(given, {
    providerReference: state.providerReference,
    toAmount: came,
    customerFee: of(fee, customerFee.currency),
    details: undisputed(operation, {
      ...senderDetails(operation, state.sender),
      arrived: came.units.toString(),
      ...(!exact && { repriced_because: `${shown(given, came)} arrived where ${shown(given, amount)} was announced` })
    })
  })
  return { operation: after, changes: [...changes, ...arrivedPostings(after)] }
}

/**
 * Credits what stands in `suspense` because operators say that it is the tenant's: all that has not gone back, in the currency that arrived,
 * without a fee. Nothing but the whole of it can be said to have been received, and it has to be there: an adjustment may have credited it.
 */
export const placed = (given: TransferCase, { providerReference, received }: TransferState): Decided => {
  const { operation } = given
  const came = wholeOf(operation)
  const back = returnedOf(operation)
  const left = { ...came, units: came.units - back }
  if (received === null || received.currency !== left.currency || received.units !== left.units)
    return disputed(
      given,
      `${shown(given, left)} is in suspense: it is credited whole or not at all`,
      providerReference
    )
  const there = inSuspense(given.view, left.currency)
  if (there < left.units)
    return disputed(
      given,
      `${shown(given, { ...left, units: there })} is left in suspense: some of ${shown(given, left)} was credited by an adjustment`,
      providerReference
    )
  const { changes, operation: after } = settledAs(given, {
    providerReference,
    toAmount: came,
    customerFee: of(0n, operation.customerFee.currency),
    details: undisputed(operation, {
      suspended: false,
      placed: true,
      ...(back > 0n && { returned_unplaced: back.toString() }),
      repriced_because: `${shown(given, came)} arrived where ${shown(given, operation.amount)} was announced, and operators placed it`
    })
  })
  return { operation: after, changes: [...changes, ...placedPostings(operation, after)] }
}

/**
 * What is wrong with what was paid out; undefined where it is what was ordered, no less than was promised and not far more, or plausible where nothing
 * was: then it may be what is left of it without what came `returned`.
 */
const wrongWith = (given: TransferCase, paid: Amount, returned = 0n): string | undefined => {
  const { amount, kind } = given.operation
  const currency = receivedCurrencyOf(given.operation)
  const told = `${shown(given, paid)} was paid out`
  if (paid.currency !== currency) return `${told} where ${currency} was ordered`
  if (kind !== "OFF_RAMP") return paid.units === amount.units ? undefined : `${told} of ${shown(given, amount)}`
  const { currencies, stated, usd, view } = given
  const isJudged = stated === undefined && usd !== undefined
  const facts = isJudged ? { currencies, now: view.now, usd } : undefined
  const far = facts && implausiblePayout(given.operation, paid, facts, returned)
  if (far !== undefined) return `${told}: ${far}`
  const most = stated === undefined ? mostBelieved(given.operation) : undefined
  if (most !== undefined && paid.units > most.units)
    return `${told} where no more than ${shown(given, most)} is believed`
  const least = floorOf(given.operation) ?? (currency === amount.currency ? amount : undefined)
  return least === undefined || paid.units >= least.units
    ? undefined
    : `${told} where at least ${shown(given, least)} was promised`
}

/** Whether an amount is what the receiver has left of what was ordered, or no less than its share of what was promised, and not far more than all of it. */
const isLeft = (operation: Operation, paid: Amount, returned: bigint): boolean => {
  const { amount } = operation
  const left = amount.units - returned
  const least = floorOf(operation)
  const most = mostBelieved(operation)
  return (
    (paid.currency === amount.currency && paid.units === left) ||
    (paid.currency === least?.currency &&
      paid.units * amount.units >= least.units * left &&
      (most === undefined || paid.units <= most.units))
  )
}

/**
 * Why the rest of what came back in part cannot be taken for paid out; undefined where it can. What this answer tells as paid out is judged,
 * less what came back or not; else what was told before and could not be booked, of which the part came back. Where prices alone tell what it should
 * be, it has to be told.
 */
export const wrongWithRest = (given: TransferCase, state: TransferState, returned: bigint): string | undefined => {
  const { operation, stated, usd } = given
  if (stated !== undefined) return undefined
  const left = state.received
  if (left !== null) return isLeft(operation, left, returned) ? undefined : wrongWith(given, left, returned)
  const paid = disputedAmount(operation)
  if (paid !== undefined) return wrongWith(given, paid)
  return isUnpromised(operation) && usd !== undefined
    ? "a part came back, and the provider does not say how much was paid out"
    : undefined
}

/**
 * A transfer that paid out: settled where the receiver got what was ordered, or no less than the quote's floor and not far more. Anything else, and
 * an amount that is not told, is for somebody to look at; what was reserved stays reserved.
 */
export const paidOut = (given: TransferCase, { providerReference, received: paid }: TransferState): Decided => {
  if (paid === null) return disputed(given, "the provider does not say how much was paid out", providerReference)
  const wrong = wrongWith(given, paid)
  if (wrong !== undefined) return disputed(given, wrong, providerReference, toldAmount(paid))
  const { changes, operation } = settledAs(given, {
    providerReference,
    toAmount: paid,
    details: undisputed(given.operation)
  })
  return { operation, changes: [...changes, ...paidPostings(operation), ...accountPaid(given.view, operation)] }
}

/**
 * What operators say that a settled transfer paid out, where its provider has told two amounts: no less than was promised, as ever. No leg stands on
 * it: what the receiver gets is paid with what the transfer took from the float.
 */
export const corrected = (given: TransferCase, paid: Amount): Decided => {
  const { operation } = given
  const wrong = wrongWith(given, paid)
  if (wrong !== undefined) return disputed(given, wrong)
  const details = undisputed(operation, overruledBy(operation, paid))
  const after: Operation = { ...operation, toAmount: paid, unresolved: false, details }
  return { operation: after, changes: put(operation, after) }
}
