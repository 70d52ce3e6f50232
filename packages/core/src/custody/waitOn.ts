import type { Change } from "../engine/Change.ts"
import { schedule } from "../engine/Job.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { canMove, moved, unresolved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { askedOf } from "./beginCustody.ts"
import { askAgainAt, custodianQueue } from "./CustodyStep.ts"
import { putRecord } from "../engine/Records.ts"

const asked = (operation: Operation): Operation => ({
  ...operation,
  details: { ...operation.details, asked: askedOf(operation) + 1 }
})

/** The custodian has the order and is at it: SENT, to be asked again. What was unresolved is known now to be on its way. */
export const pending = (view: View, operation: Operation, patch: Partial<Operation>): ReadonlyArray<Change> => {
  const before = asked(operation)
  const after = canMove(before, "sent")
    ? moved(view, before, "sent", { ...patch, unresolved: false })
    : { ...before, ...patch, unresolved: false }
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
