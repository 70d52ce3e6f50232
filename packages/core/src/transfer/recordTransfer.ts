import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Json } from "../engine/Json.ts"
import type { View } from "../engine/View.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { canMove, concluded, moved, unresolved } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationTrigger } from "../operation/OperationMachine.ts"
import type { Answer } from "../port/Answer.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { creditedOf } from "../swap/recordSwap.ts"
import { askAgain } from "./transferAgenda.ts"
import { endedPostings, returnedPostings, settledPostings, transferReads } from "./transferLegs.ts"
import { receivedCurrencyOf } from "./transferOrder.ts"

/** What the provider said of a transfer. */
export interface TransferReport {
  readonly operation: Operation
  readonly answer: Answer<TransferState>
  readonly currencies: CurrencyTable
}

interface Case {
  readonly view: View
  readonly currencies: CurrencyTable
  readonly operation: Operation
}

const withDetails = (operation: Operation, more: { readonly [key: string]: Json }): Operation["details"] => ({
  ...operation.details,
  ...more
})

/** Flagged once for as long as nothing is known; where it stands, and what it holds, stays. */
const flagged = (
  { currencies, operation, view }: Case,
  why: string,
  patch: Pick<Partial<Operation>, "providerReference"> = {}
): ReadonlyArray<Change> => {
  if (operation.unresolved) {
    const after = { ...operation, ...patch }
    const news = after.providerReference !== operation.providerReference
    return [...(news ? [{ _tag: "OperationPut", operation: after } as const] : []), askAgain(after, view.now)]
  }
  const details = withDetails(operation, { unresolved_because: why })
  return [
    ...unresolved(view, currencies, operation, { ...patch, details }).changes,
    askAgain({ ...operation, unresolved: true }, view.now)
  ]
}

const ended = (
  { currencies, operation, view }: Case,
  trigger: "failed" | "returned",
  state: Pick<TransferState, "reason"> & { readonly providerReference: string | null }
): ReadonlyArray<Change> => {
  const settled = operation.status === "SETTLED"
  const { changes, operation: after } = concluded(view, currencies, operation, trigger, {
    providerReference: state.providerReference ?? operation.providerReference,
    details: withDetails(operation, {
      ...(trigger === "failed" && { failure_reason: "provider_rejected" }),
      failure_detail: state.reason
    })
  })
  return [...changes, ...(settled ? returnedPostings(after) : endedPostings(after)), askAgain(after, view.now)]
}

const concludedAs = ({ currencies, operation, view }: Case, patch: Partial<Operation>): ReadonlyArray<Change> => {
  const { changes, operation: after } = concluded(view, currencies, operation, "settled", patch)
  return [...changes, ...settledPostings(after), askAgain(after, view.now)]
}

/** What an ON_RAMP brought: in its own currency, and more than its fee. Anything else somebody has to look at. */
const arrived = (given: Case, { providerReference, received }: TransferState): ReadonlyArray<Change> => {
  const { operation } = given
  const came: Amount = received ?? operation.amount
  if (came.currency !== operation.amount.currency)
    return flagged(given, `${came.currency} was reported as received`, { providerReference })
  const credited = creditedOf(operation, came.units)
  if (credited <= operation.customerFee.units)
    return flagged(given, "no more than the fee was reported as received", { providerReference })
  return concludedAs(given, {
    providerReference,
    toAmount: of(credited, came.currency),
    details: withDetails(operation, { arrived: came.units.toString() })
  })
}

const paidOut = (given: Case, { providerReference, received }: TransferState): ReadonlyArray<Change> => {
  const told = received?.currency === receivedCurrencyOf(given.operation) ? received : null
  return concludedAs(given, { providerReference, toAmount: told })
}

const triggers = {
  AWAITING_FUNDS: "funds_wanted",
  IN_REVIEW: "review_wanted",
  PROCESSING: "started",
  SENT: "sent"
} as const satisfies { readonly [status in TransferState["status"]]?: OperationTrigger }

/** On its way: moved on where that is a move, and known again where it was not. What would go backwards is not followed. */
const onItsWay = ({ operation, view }: Case, trigger: OperationTrigger, providerReference: string) => {
  const known = { providerReference, unresolved: false }
  const after = canMove(operation, trigger) ? moved(view, operation, trigger, known) : { ...operation, ...known }
  const same =
    after.status === operation.status && !operation.unresolved && operation.providerReference === providerReference
  return [...(same ? [] : [{ _tag: "OperationPut", operation: after } as const]), askAgain(after, view.now)]
}

/** What a provider says of a transfer that has settled: nothing but its return changes it. */
const afterSettlement = (given: Case, state: TransferState): ReadonlyArray<Change> => {
  const { operation, view } = given
  switch (state.status) {
    case "RETURNED":
      return ended(given, "returned", state)
    case "SETTLED": {
      const known: Operation = { ...operation, unresolved: false }
      return [
        ...(operation.unresolved ? [{ _tag: "OperationPut", operation: known } as const] : []),
        askAgain(known, view.now)
      ]
    }
    case "UNRESOLVED":
    case "FAILED":
      return flagged(given, state.reason ?? `the provider says ${state.status} of what had settled`)
    case "AWAITING_FUNDS":
    case "IN_REVIEW":
    case "PROCESSING":
    case "SENT":
      return [askAgain(operation, view.now)]
  }
}

const told = (given: Case, state: TransferState): ReadonlyArray<Change> => {
  if (given.operation.status === "SETTLED") return afterSettlement(given, state)
  switch (state.status) {
    case "UNRESOLVED":
      return flagged(given, state.reason ?? "the provider does not say", { providerReference: state.providerReference })
    case "SETTLED":
      return given.operation.kind === "ON_RAMP" ? arrived(given, state) : paidOut(given, state)
    case "FAILED":
      return ended(given, "failed", state)
    case "RETURNED":
      return ended(given, "returned", state)
    default:
      return onItsWay(given, triggers[state.status], state.providerReference)
  }
}

const decide = (given: Case, answer: Answer<TransferState>): ReadonlyArray<Change> => {
  const { operation, view } = given
  const settled = operation.status === "SETTLED"
  switch (answer._tag) {
    case "Unknown":
      // that a settled transfer cannot be read for a while says nothing of it
      return settled ? [askAgain(operation, view.now)] : flagged(given, answer.detail)
    case "Refused":
      // what the provider has told of it has taken: that it never did is no answer
      return settled || operation.providerReference !== null
        ? flagged(given, `the provider denies the order: ${answer.reason}`)
        : ended(given, "failed", { reason: answer.reason, providerReference: null })
    case "Done":
      return told(given, answer.value)
  }
}

/**
 * Records what the provider said of a transfer: on its way, settled, failed (what was reserved is free again), returned (before
 * settlement the same; after it the money comes back), or not known (flagged once; nothing moves). A status that would go
 * backwards is not followed, and one that is over stays as it is: the provider may tell anything late, twice or out of order.
 */
export const recordTransfer = ({
  answer,
  currencies,
  operation: asked
}: TransferReport): Command<Operation | undefined> => ({
  name: "RecordTransfer",
  reads: [{ _tag: "Operation", id: asked.id }, ...transferReads(asked)],
  decide: (view) => {
    const operation = view.operation(asked.id)
    if (operation === undefined) return Result.succeed({ changes: [], reply: undefined })
    if (operation.status === "FAILED" || operation.status === "RETURNED")
      return Result.succeed({ changes: [askAgain(operation, view.now)], reply: operation })
    return Result.succeed({ changes: decide({ view, currencies, operation }, answer), reply: operation })
  }
})
