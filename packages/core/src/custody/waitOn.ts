import { storable } from "../base/storable.ts"
import type { Change } from "../engine/Change.ts"
import { schedule } from "../engine/Job.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { isMovedBeside } from "../operation/contradictions.ts"
import { canMove, moved, unresolved } from "../operation/moveOperation.ts"
import { isDisputed, noDispute } from "../operation/disputed.ts"
import { Operation } from "../operation/Operation.ts"
import { failedIfSent } from "../operation/resolved.ts"
import { askedOf } from "./beginCustody.ts"
import { askAgainAt, custodianQueue } from "./CustodyStep.ts"
import { putRecord } from "../engine/Records.ts"

const asked = (operation: Operation): Operation => ({
  ...operation,
  details: { ...operation.details, asked: askedOf(operation) + 1 }
})

/**
 * The custodian has the order and is at it: SENT, to be asked again. What was unresolved is known now to be on its way, unless an outcome was told
 * of it before that could not be booked.
 */
export const pending = (view: View, operation: Operation, patch: Partial<Operation>): ReadonlyArray<Change> => {
  const before = asked(operation)
  const known = { ...patch, unresolved: operation.unresolved && isDisputed(operation) }
  const after = canMove(before, "sent") ? moved(view, before, "sent", known) : { ...before, ...known }
  return [putRecord(Operation, after), schedule(custodianQueue, operation.id, askAgainAt(view.now, askedOf(after)))]
}

/**
 * Whether the custodian has shown that it has the order. What it had cannot be something that it never took: a denial then is no
 * proof that nothing happened.
 */
export const wasTaken = ({ providerReference, status }: Operation): boolean =>
  providerReference !== null || status === "SENT"

/** What a denial says of an order that was taken. */
export const deniedBy = ({ reason }: { readonly reason: string }): string => `the custodian denies the order: ${reason}`

/** Nothing is known: flagged once, and asked again. `providerReference` is what the custodian calls the order, if that is known now. */
export const notKnown = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  detail: string,
  providerReference = operation.providerReference
): ReadonlyArray<Change> => {
  const counted = asked(operation)
  const after = { ...counted, providerReference, details: { ...counted.details, unresolved_because: detail } }
  const flagged = unresolved(view, currencies, after)
  return [
    ...(flagged.changes.length === 0 ? [putRecord(Operation, after)] : flagged.changes),
    schedule(custodianQueue, operation.id, askAgainAt(view.now, askedOf(after)))
  ]
}

/**
 * The custodian tells an outcome that cannot be booked: nothing is known until it tells one that can, or operators say what became of it. That it
 * is at it, or that it failed, does not take the outcome back.
 */
export const unbookable = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  detail: string,
  providerReference: string
): ReadonlyArray<Change> => {
  const disputed: Operation = { ...operation, details: { ...operation.details, disputed: true } }
  return notKnown(view, currencies, disputed, detail, providerReference)
}

/**
 * A failure that is not believed on the custodian's word alone, because it had told an outcome before, or it stands against the operation that money
 * has moved: not known. Undefined where it is believed.
 */
export const doubted = (
  view: View,
  { currencies, stated }: { readonly currencies: CurrencyTable; readonly stated?: true },
  operation: Operation,
  providerReference: string | null
): ReadonlyArray<Change> | undefined => {
  if (stated === true || !(isDisputed(operation) || isMovedBeside(operation))) return undefined
  const why = "the custodian says that it failed, of what it had told an outcome of"
  return notKnown(view, currencies, operation, why, providerReference ?? operation.providerReference)
}

/** That an order failed: why, and under which id. */
export interface CustodianFailure {
  readonly reason: string
  readonly reference: string | null
}

/** What is stored of an order that failed by its custodian's word, or by operators'. */
export const failedWith = (
  { now }: View,
  operation: Operation,
  { reason, reference }: CustodianFailure
): Pick<Operation, "details" | "providerReference"> => ({
  providerReference: reference ?? operation.providerReference,
  details: {
    ...operation.details,
    failure_reason: "provider_rejected",
    failure_detail: storable(reason),
    ...noDispute(operation),
    ...failedIfSent(operation, now)
  }
})
