import { Result } from "effect"
import { claimOrder, claimReads, isUnderAnotherId } from "../custody/claimOrder.ts"
import { heardLate } from "../custody/heardLate.ts"
import { heardOpen } from "../custody/heardOpen.ts"
import { storableTransfer } from "../custody/storableAnswer.ts"
import type { Command } from "../engine/Command.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { isWithProvider } from "../operation/assetPlace.ts"
import { isMovedBeside } from "../operation/contradictions.ts"
import { isDisputed } from "../operation/disputed.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import type { OperationTrigger } from "../operation/OperationMachine.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import { unreserve, unreserveReads } from "../operation/reserveAssets.ts"
import { saidOf, withSaid } from "../operation/said.ts"
import { failedIfSent, providerFailed, resolvedOf } from "../operation/resolved.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { bankSaid } from "./bankSaid.ts"
import { sourceReads } from "./refund.ts"
import { endTransfer } from "./endTransfer.ts"
import { isOverruled, overruledBy, settledAmount, toldAmount } from "./overruled.ts"
import { returned, settledDespiteReturn } from "./returnTransfer.ts"
import { senderDetails } from "./sender.ts"
import { arrived, corrected, paidOut, placed } from "./settleTransfer.ts"
import { askAgain } from "./transferQueue.ts"
import {
  type Decided,
  disputed,
  flagged,
  flaggedAnew,
  inSuspense,
  knownInSuspense,
  put,
  shown,
  type TransferCase,
  undisputed,
  withDetails
} from "./transferCase.ts"
import { isOfReplaced, outcomeSaid, saidOfReplaced } from "./saidOfReplaced.ts"
import { transferReads } from "./transferLegs.ts"
import { transferOutcomeReads } from "./transferLimits.ts"
import { transferQueue } from "./Transfer.ts"
import { transferContradiction } from "./transferContradiction.ts"
import { isBooked, isFinished, isReturnTold, isSuspended, withoutReturned } from "./transferState.ts"
import { readRecord } from "../engine/Records.ts"

/** What the provider said of a transfer. */
export interface TransferReport {
  readonly operation: Operation
  readonly answer: ProviderResult<TransferState>
  readonly currencies: CurrencyTable
  /** What one whole unit of currencies is worth in US dollars, as far as it is known, by which a payout is judged that no quote has promised: it settles once
   * it is. Absent where nobody can be asked, and it is not judged. */
  readonly usd?: ReadonlyMap<string, Rate> | undefined
  /** It is the word of two operators, which also ends what the provider had told in a way that could not be booked. */
  readonly stated?: true
}

const failed = (
  given: TransferCase,
  state: Pick<TransferState, "reason"> & { readonly providerReference: string | null },
  more: ReturnType<typeof failedIfSent> = {}
): Decided =>
  endTransfer(given, "failed", {
    providerReference: state.providerReference ?? given.operation.providerReference,
    details: withDetails(given.operation, {
      failure_reason: "provider_rejected",
      failure_detail: state.reason,
      ...more
    })
  })

/**
 * What is kept of a transfer that its provider denies. One that it refuses at once it has not taken; that it finds none, after it was not known what became
 * of it, is less certain than any failure, and is watched.
 */
const deniedLater = ({ operation, view }: TransferCase): ReturnType<typeof failedIfSent> =>
  operation.unresolved ? failedIfSent(operation, view.now) : {}

const triggers = {
  AWAITING_FUNDS: "funds_wanted",
  IN_REVIEW: "review_wanted",
  PROCESSING: "started",
  SENT: "sent"
} as const satisfies { readonly [status in TransferState["status"]]?: OperationTrigger }

/**
 * On its way: moved on where that is a move, and known again where it was not. What would go backwards is not followed, and does
 * not take back an outcome that was told and could not be booked.
 */
const onItsWay = ({ operation, view }: TransferCase, trigger: OperationTrigger, providerReference: string): Decided => {
  const known = { providerReference, unresolved: operation.unresolved && isDisputed(operation) }
  const after = canMove(operation, trigger) ? moved(view, operation, trigger, known) : { ...operation, ...known }
  const same =
    after.status === operation.status &&
    after.unresolved === operation.unresolved &&
    operation.providerReference === providerReference
  return same ? { operation, changes: [] } : { operation: after, changes: put(operation, after) }
}

/**
 * The same outcome told again: as it was booked, and with who paid where that was not told before; else it is disputed, unless operators have
 * decided against that amount since.
 */
const settledAgain = (given: TransferCase, { received, sender }: TransferState): Decided => {
  const { operation } = given
  const booked = settledAmount(operation)
  if (
    received !== null &&
    booked !== null &&
    (received.units !== booked.units || received.currency !== booked.currency)
  ) {
    if (given.stated !== undefined && operation.kind !== "ON_RAMP") return corrected(given, received)
    const why = `${shown(given, received)} is told where ${shown(given, booked)} had been`
    // what was decided before amounts were kept is known by its words
    const isDecided = isOverruled(operation, received) || operation.details.unresolved_because === why
    return isDecided && !operation.unresolved && resolvedOf(operation) !== null
      ? { operation, changes: [] }
      : disputed(given, why, undefined, toldAmount(received))
  }
  // one that tells no amount takes back neither of the two that it had told
  if (received === null && isDisputed(operation) && given.stated === undefined) return { operation, changes: [] }
  const decided = given.stated !== undefined && received !== null ? overruledBy(operation, received) : {}
  const more = { ...decided, ...(operation.kind === "ON_RAMP" && senderDetails(operation, sender)) }
  const isNews = operation.unresolved || Object.keys(more).length > 0
  const known = undisputed(operation, more)
  // what its provider takes back itself was decided by nobody
  const { unresolved_because: _, ...withdrawn } = known
  const details = operation.unresolved && given.stated === undefined ? withdrawn : known
  const after: Operation = isNews ? { ...operation, unresolved: false, details } : operation
  return { operation: after, changes: put(operation, after) }
}

/** Whether an amount is told of a transfer that came back in part which is neither what had settled nor what the receiver of a payout has left of it. */
const isOtherThanSettled = (operation: Operation, { received }: TransferState): boolean => {
  const booked = settledAmount(operation)
  if (received === null || booked === null) return false
  const isLeft = operation.kind !== "ON_RAMP" && received.units === withoutReturned(operation, booked.units)
  return received.currency !== booked.currency || (received.units !== booked.units && !isLeft)
}

/** What a provider says of a transfer that has settled, or came back in part: nothing but a return moves money. */
const afterSettlement = (given: TransferCase, state: TransferState): Decided => {
  switch (state.status) {
    case "RETURNED":
      return returned(given, state)
    case "SETTLED":
      // told late, where a part has come back since: no news, unless it is another amount
      return given.operation.status === "SETTLED" || isOtherThanSettled(given.operation, state)
        ? settledAgain(given, state)
        : { operation: given.operation, changes: [] }
    case "UNRESOLVED":
    case "FAILED":
      return flagged(given, state.reason ?? `the provider says ${state.status} of what had settled`)
    case "AWAITING_FUNDS":
    case "IN_REVIEW":
    case "PROCESSING":
    case "SENT":
      return { operation: given.operation, changes: [] }
  }
}

/** What arrived stands on `suspense`: it is the operators' to place, and nothing that the provider says but a return moves it. */
const whileSuspended = (given: TransferCase, state: TransferState): Decided => {
  if (state.status === "RETURNED") return returned(given, state)
  if (state.status !== "SETTLED") return inSuspense(given, state.providerReference)
  if (given.stated !== undefined) return placed(given, state)
  const came = wholeOf(given.operation)
  return state.received?.units === came.units && state.received.currency === came.currency
    ? knownInSuspense(given, state.providerReference)
    : inSuspense(given, state.providerReference)
}

const told = (given: TransferCase, state: TransferState): Decided => {
  const { operation } = given
  if (state.status === "SETTLED" && given.stated === undefined && isReturnTold(operation))
    return settledDespiteReturn(given, state)
  if (isSuspended(operation)) return whileSuspended(given, state)
  if (operation.status === "SETTLED" || operation.status === "RETURNED") return afterSettlement(given, state)
  switch (state.status) {
    case "UNRESOLVED":
      return flagged(given, state.reason ?? "the provider does not say", state.providerReference)
    case "SETTLED":
      return operation.kind === "ON_RAMP" ? arrived(given, state) : paidOut(given, state)
    case "FAILED":
      return given.stated === undefined && (isDisputed(operation) || isMovedBeside(operation))
        ? flagged(given, "the provider says FAILED of what it had told an outcome of", state.providerReference)
        : failed(given, state, providerFailed(given.view.now))
    case "RETURNED":
      return returned(given, state)
    default:
      return onItsWay(given, triggers[state.status], state.providerReference)
  }
}

/** Whether what is said of a booked transfer is no more than is booked of it. */
const isAsBooked = (operation: Operation, state: TransferState): boolean =>
  state.status in triggers ||
  (state.status === "SETTLED" && !isOtherThanSettled(operation, state)) ||
  (state.status === "RETURNED" &&
    state.returned?.units === returnedOf(operation) &&
    state.returned.currency === wholeOf(operation).currency)

/** Whether an answer is about an order in place of which another is booked: it is noted beside what is said of that one. */
const isBeside = (operation: Operation, heard: ProviderResult<TransferState>): boolean =>
  heard._tag === "Done" && isBooked(operation) && isOfReplaced(operation, heard.value)

/** Whether a provider has said that last: operators know of it, and may have decided on it since. */
const isSaidAgain = ({ details }: Operation, heard: ProviderResult<TransferState>): boolean =>
  bankSaid(heard) === details.said

/**
 * What becomes of a transfer where an answer is none. That it cannot be read for a while says nothing of what is booked; nor does another id for the
 * same. All else that is told under another id may be its return: nothing is booked on it, and operators have to look, once, also where they look at
 * something else already. That money has moved by it is noted: the next word hides it otherwise.
 */
const unsaid = (given: TransferCase, why: string, heard: ProviderResult<TransferState>): Decided => {
  const { operation } = given
  const booked = isBooked(operation)
  if (heard._tag !== "Done") return booked ? { operation, changes: [] } : flagged(given, why)
  if (isSaidAgain(operation, heard)) return { operation, changes: [] }
  if (isBeside(operation, heard)) return saidOfReplaced(given, heard.value)
  const isKnown = booked && (!isUnderAnotherId(operation, heard) || isAsBooked(operation, heard.value))
  if (isKnown) return { operation, changes: [] }
  const outcome = outcomeSaid(given, heard.value)
  return flaggedAnew({ ...given, operation: heardOpen(given.view, operation, heard, () => outcome) }, why)
}

/** Whether an answer would only open again what operators have decided on since the provider said it first. */
const isReopened = (
  { operation, stated }: TransferCase,
  { operation: after }: Decided,
  heard: ProviderResult<TransferState>
): boolean =>
  stated === undefined &&
  isBooked(operation) &&
  resolvedOf(operation) !== null &&
  !operation.unresolved &&
  after.unresolved &&
  isSaidAgain(operation, heard)

const decide = (
  given: TransferCase,
  answer: ProviderResult<TransferState>,
  heard: ProviderResult<TransferState>
): Decided => {
  const { operation } = given
  switch (answer._tag) {
    case "Unknown":
      return unsaid(given, answer.detail, heard)
    case "Refused":
      // what operators have decided on since is no news
      if (isBooked(operation) && isSaidAgain(operation, heard)) return { operation, changes: [] }
      // what the provider has told of it has taken: that it never did is no answer
      return isBooked(operation) || operation.providerReference !== null
        ? flagged(given, `the provider denies the order: ${answer.reason}`)
        : failed(given, { reason: answer.reason, providerReference: null }, deniedLater(given))
    case "Done": {
      const decided = told(given, answer.value)
      return isReopened(given, decided, heard) ? { operation, changes: [] } : decided
    }
  }
}

const late = { queue: transferQueue, contradiction: transferContradiction }

/**
 * Records what the provider said of a transfer: on its way, settled, failed (what was reserved is free again), returned (before
 * settlement the same; after it what came back is booked), or not known (flagged once; nothing moves). A status that would go
 * backwards is not followed, and one that is over stays as it is: the provider may tell anything late, twice or out of order. An
 * order that another operation has, of whichever tenant, or another than was told of this one, is no answer for it: where that would be
 * news, what is open or had settled is flagged with it, and of what is over it is noted.
 */
export const recordTransfer = (report: TransferReport): Command<Operation | undefined> => {
  const { currencies, operation: asked, stated, usd } = report
  const heard = storableTransfer(report.answer)
  return {
    name: "RecordTransfer",
    reads: [
      readRecord(Operation, asked.id),
      ...sourceReads(asked),
      ...transferOutcomeReads(asked),
      ...transferReads(asked, heard._tag === "Done" ? heard.value : {}),
      ...claimReads(asked, heard),
      ...unreserveReads(asked)
    ],
    decide: (view) => {
      const operation = view.get(Operation, asked.id)
      if (operation === undefined) return Result.succeed({ changes: [], reply: undefined })
      if (isFinished(operation)) {
        const { changes, operation: after } = heardLate(view, operation, heard, late)
        return Result.succeed({ changes, reply: after })
      }
      const { answer, changes: claimed } = claimOrder(view, operation, heard, stated)
      const { changes, operation: after } = decide({ view, currencies, operation, stated, usd }, answer, heard)
      const over = isWithProvider(after) ? [] : unreserve(view, operation)
      // also what is no answer: operators decide on all that was said. What is noted beside it takes back no word of the order that counts
      const said = stated === undefined && !isBeside(operation, heard) ? bankSaid(heard) : undefined
      const all = withSaid([...claimed, ...changes, ...over, askAgain(after, view.now)], operation, said)
      return Result.succeed({ changes: all, reply: saidOf(after, said) })
    }
  }
}
