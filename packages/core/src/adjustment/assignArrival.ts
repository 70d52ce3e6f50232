import { Refusal } from "../base/Refusal.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { inSuspense } from "../operation/inSuspense.ts"
import type { Account } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import type { StoredAssignment } from "../operation/details/AdjustmentDetails.ts"
import { broughtBy } from "../operation/bookedArrival.ts"
import { ofKind, Operation } from "../operation/Operation.ts"

/** An adjustment, as far as it gives somebody what arrived for nobody. */
export interface Assigning {
  readonly amount: Amount
  readonly against: Account
  readonly from?: Account | null
  /** The operation that brought what is assigned into suspense; null or absent where the adjustment assigns no one arrival. */
  readonly assigns?: string | null
  /** The proposal that this was, which has the arrival already; null or absent where it was none. */
  readonly proposal?: string | null
}

/** What assigning an arrival reads. */
export const arrivalReads = ({ assigns }: Pick<Assigning, "assigns">): ReadonlyArray<Read> =>
  assigns == null ? [] : [readRecord(Operation, assigns)]

/**
 * Whether operators may assign what an operation left in suspense. What an ON_RAMP left there is placed by resolving that, what takes
 * something back has brought nothing, and what the chain took back is not there.
 */
export const isAssignable = ({ details, kind }: Operation): boolean =>
  kind === "ADJUSTMENT" && details.assigned == null && details.reverses == null && details.reversed_by === undefined

const conflict = (message: string) => new Refusal({ code: "state_conflict", message })

/** Why an adjustment cannot assign its arrival; undefined where it can, or assigns none. An arrival is assigned once, and whole. */
export const refuseAssigning = (view: View, adjustment: Assigning): Refusal | undefined => {
  const { against, amount, assigns, from, proposal } = adjustment
  if (assigns == null) return undefined
  const arrival = view.get(Operation, assigns)
  if (arrival === undefined) return new Refusal({ code: "not_found", message: "There is no such arrival." })
  const { assigned, reversed_by: reversedBy } = arrival.details
  if (reversedBy !== undefined)
    return conflict(`Operation ${reversedBy} took it back: it is not on the chain any more, or was the service's own.`)
  const isOurs = assigned != null && assigned.operation_id === null && assigned.adjustment_id === proposal
  if (!isOurs && !isAssignable(arrival))
    return conflict(
      assigned == null
        ? `What a ${arrival.kind} left in suspense is placed by resolving the operation.`
        : assigned.operation_id === null
          ? `Adjustment ${assigned.adjustment_id} assigns it, and waits for another operator.`
          : `It was assigned by operation ${assigned.operation_id}.`
    )
  if (against !== "suspense" || from != null)
    return new Refusal({ code: "invalid_request", message: "An arrival is assigned to the float against suspense." })
  const brought = broughtBy(arrival)
  if (brought.currency !== amount.currency || brought.units !== amount.units)
    return new Refusal({ code: "amount_invalid", message: "An arrival is assigned whole: name just what it brought." })
  return inSuspense(view, amount.currency) < amount.units
    ? conflict(
        "Suspense does not hold it any more: another adjustment has credited it, or what was assigned has left the chain."
      )
    : undefined
}

const noted = (arrival: Operation, assigned: typeof StoredAssignment.Type | null): Change =>
  putRecord(Operation, { ...arrival, details: { ...ofKind(arrival, "ADJUSTMENT").details, assigned } })

const arrivalOf = (view: View, { assigns }: Pick<Assigning, "assigns">): Operation | undefined =>
  assigns == null ? undefined : view.get(Operation, assigns)

/** Notes with its arrival which adjustment assigns it: the operation, or a proposal that waits. */
export const assignedBy = (
  view: View,
  assigning: Pick<Assigning, "assigns">,
  by: { readonly proposal: string | null; readonly operationId: string | null }
): ReadonlyArray<Change> => {
  const arrival = arrivalOf(view, assigning)
  return arrival === undefined ? [] : [noted(arrival, { adjustment_id: by.proposal, operation_id: by.operationId })]
}

/** Lets another adjustment assign the arrival of a proposal that is rejected, unless it was booked by a grant all the same. */
export const freedArrival = (view: View, assigning: Pick<Assigning, "assigns">): ReadonlyArray<Change> => {
  const arrival = arrivalOf(view, assigning)
  return arrival?.details.assigned?.operation_id === null ? [noted(arrival, null)] : []
}
