import type { Amount } from "../money/Amount.ts"
import { isMovedBeside } from "../operation/contradictions.ts"
import { concluded, moved } from "../operation/moveOperation.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { lastWord } from "../operation/said.ts"
import { providerFailed } from "../operation/resolved.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { givenBack } from "./refund.ts"
import { arrivedOtherwise, disputedAmount, toldAmount } from "./overruled.ts"
import { arrived, wrongWithRest } from "./settleTransfer.ts"
import {
  type Decided,
  disputed,
  knownInSuspense,
  onlySuspended,
  put,
  shown,
  type TransferCase,
  undisputed
} from "./transferCase.ts"
import { endedPostings, paidPostings, returnedPostings } from "./transferLegs.ts"
import { isBooked, isSuspended } from "./transferState.ts"

/** What an answer that cannot be booked tells as paid out, or arrived: one that says less later does not take it back. */
const heard = ({ received }: TransferState): ReturnType<typeof toldAmount> | undefined =>
  received === null ? undefined : toldAmount(received)

/**
 * What is said to have arrived for an ON_RAMP that is not booked: by this answer, or by one before that could not be believed; null where none says.
 * Operators' word is not judged by an amount in a currency that the table lacks: they cannot repeat it.
 */
const saidToArrive = ({ currencies, operation, stated }: TransferCase, { received }: TransferState): Amount | null => {
  const said = received ?? disputedAmount(operation) ?? null
  return stated !== undefined && said !== null && currencies.byCode(said.currency) === undefined ? null : said
}

/** What has settled of which a return was told that is not booked: how much is left the provider says with the return, or operators do. */
export const settledDespiteReturn = (given: TransferCase, state: TransferState): Decided =>
  disputed(
    given,
    "it is said to have settled after some of it was said to have come back",
    state.providerReference,
    heard(state)
  )

const returnedAs = (
  { currencies, view }: TransferCase,
  operation: Operation,
  state: TransferState,
  units: bigint,
  more: Pick<OperationDetails<"ON_RAMP">, "arrived" | "arrived_currency" | "failed_at"> = {}
): Decided =>
  concluded(view, currencies, operation, "returned", {
    providerReference: state.providerReference,
    details: undisputed(operation, {
      returned: units.toString(),
      // one that gives no reason takes back none that was given of a part before
      failure_detail: state.reason ?? operation.details.failure_detail ?? null,
      ...more
    })
  })

/** A part of what stands in `suspense` went back: the rest is still the operators' to place. */
const stillSuspended = ({ changes, operation }: Decided): Decided => {
  const after: Operation = { ...operation, unresolved: true, details: onlySuspended(operation) }
  return { operation: after, changes: lastWord(changes, after.id, () => after) }
}

/** What came back, or went back, of what had moved in the books. Once it is all of it, the provider is asked for a while whether that stays so. */
const cameBackLater = (given: TransferCase, state: TransferState, units: bigint): Decided => {
  const { operation, view } = given
  const isWhole = units === wholeOf(operation).units
  const booked = returnedAs(given, operation, state, units, isWhole ? providerFailed(view.now) : {})
  const { changes, operation: after } = isSuspended(operation) && !isWhole ? stillSuspended(booked) : booked
  return {
    operation: after,
    changes: [
      ...changes,
      ...returnedPostings(operation, after),
      ...givenBack(view, after, returnedOf(after) - returnedOf(operation))
    ]
  }
}

const carriedOutBeside = "it is said to have come back, of what is said to have been carried out by another order"

/**
 * What was paid out came back before anybody saw it settle: whole, and all that was held is free again; in part, and the rest is
 * paid out, as if it had settled first. Where it stands against it that money has moved beside, its word alone gives nothing back, as that it failed
 * does not.
 */
const cameBackEarly = (given: TransferCase, state: TransferState, units: bigint): Decided => {
  const { operation, stated, view } = given
  const isWhole = units === operation.amount.units
  const isDoubted = stated === undefined && isMovedBeside(operation)
  const wrong = isDoubted ? carriedOutBeside : isWhole ? undefined : wrongWithRest(given, state, units)
  if (wrong !== undefined) return disputed(given, wrong, state.providerReference, heard(state))
  const before = isWhole ? operation : moved(view, operation, "settled")
  const { changes, operation: after } = returnedAs(given, before, state, units, isWhole ? providerFailed(view.now) : {})
  return {
    operation: after,
    changes: [
      ...changes,
      ...(isWhole ? endedPostings(after) : [...paidPostings(after), ...returnedPostings(before, after)]),
      ...givenBack(view, after, units)
    ]
  }
}

/** What came for an ON_RAMP went back before it was credited: all of it, and nothing moves; in part, and the rest has arrived. */
const wentBackEarly = (given: TransferCase, state: TransferState, units: bigint): Decided => {
  const { operation } = given
  const told = saidToArrive(given, state)
  const came = told ?? operation.amount
  if (given.currencies.byCode(came.currency) === undefined)
    return disputed(given, `${shown(given, came)} is said to have arrived`, state.providerReference, {
      ...heard(state),
      return_told: true
    })
  if (units >= came.units)
    return returnedAs(given, operation, state, units, {
      ...providerFailed(given.view.now),
      arrived: units.toString(),
      ...(came.currency !== operation.amount.currency && { arrived_currency: came.currency })
    })
  // how much arrived operators say by a word of its own
  const first = arrived(given, given.stated === undefined ? { ...state, received: told } : state, { return_told: true })
  if (!isBooked(first.operation)) return first
  const then = returned({ ...given, operation: first.operation }, state)
  return { operation: then.operation, changes: [...first.changes, ...then.changes] }
}

/**
 * A transfer of which the provider says that it came back: what came back is booked, once for each part of it, and what did not
 * stays where it is. How much must be told, in all so far; more than there was, less than before or another currency is for
 * somebody to look at.
 */
export const returned = (given: TransferCase, state: TransferState): Decided => {
  const { operation } = given
  const { providerReference, returned: back } = state
  const booked = isBooked(operation)
  const isOnRamp = operation.kind === "ON_RAMP"
  const more = {
    // by it a payout is judged until it is booked, and an ON_RAMP always
    ...((isOnRamp || !booked) && heard(state)),
    // also of what stands in suspense: operators place it by what they are shown
    ...((back === null || isOnRamp) && { return_told: true })
  }
  const wrong = (why: string) => disputed(given, why, providerReference, more)
  if (back === null) return wrong("the provider does not say how much came back")
  const whole = booked || !isOnRamp ? wholeOf(operation) : (saidToArrive(given, state) ?? operation.amount)
  const before = returnedOf(operation)
  const told = `${shown(given, back)} is said to have come back`
  if (back.currency !== whole.currency) return wrong(`${told} where ${whole.currency} had moved`)
  // what is to arrive for an ON_RAMP is only announced: more may have come, and gone back
  if (back.units > whole.units && (booked || !isOnRamp)) return wrong(`${told} of ${shown(given, whole)}`)
  // what goes back may be of what was never credited
  const isJudged = booked && isOnRamp && given.stated === undefined
  const otherwise = isJudged ? arrivedOtherwise(operation, state.received) : undefined
  if (otherwise !== undefined)
    return wrong(`${told} of ${shown(given, otherwise)} where ${shown(given, whole)} arrived`)
  if (back.units < before) return wrong(`${told} after ${shown(given, { ...whole, units: before })}`)
  if (back.units === before && isSuspended(operation)) return knownInSuspense(given, providerReference)
  if (back.units === before) {
    const after = operation.unresolved ? { ...operation, unresolved: false, details: undisputed(operation) } : operation
    return { operation: after, changes: put(operation, after) }
  }
  if (booked) return cameBackLater(given, state, back.units)
  return isOnRamp ? wentBackEarly(given, state, back.units) : cameBackEarly(given, state, back.units)
}
