import { BigInt as Big } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Amount } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import { withoutContradictionsOf } from "./contradictions.ts"
import { ofKind, Operation } from "./Operation.ts"
import type { OperationDetails } from "./OperationDetails.ts"

/** What makes it the same arrival that operations have booked, or taken back, whatever block it stands in; undefined for any other operation. */
export const bookedArrival = ({ details, txHash }: Operation): string | undefined => {
  const { uncredited_deposit: deposit, wallet_arrival: wallet } = details
  if (deposit !== undefined || wallet === undefined) return deposit
  return [wallet.network, txHash, wallet.transfer_index].join("|")
}

/** What is read of all that was booked of what a transaction brought, and of what evidence has settled by it. */
export const bookedArrivalReads = (txHash: string): ReadonlyArray<Read> => [readGroup(Operation, txHash)]

/**
 * Whether evidence has settled a payout by a transaction: that is of our own, though no signature of it is known. The command reads
 * `bookedArrivalReads`.
 */
export const hasPaid = (
  view: View,
  { network, txHash }: { readonly network: Network; readonly txHash: string }
): boolean =>
  view.group(Operation, txHash).some((one) => one.network === network && one.details.proven_by !== undefined)

/** What an arrival brought into suspense: what the tenant had moved from addresses of its own was credited before. */
export const broughtBy = ({ amount, details }: Operation): Amount => ({
  currency: amount.currency,
  units: Big.abs(amount.units) - BigInt(details.own_units ?? "0")
})

/** Whether two bookings are of the same arrival, and brought the same: a transaction that is mined again may bring other amounts. */
export const isSameArrival = (one: Operation, other: Operation): boolean => {
  const [first, second] = [broughtBy(one), broughtBy(other)]
  return (
    bookedArrival(one) === bookedArrival(other) && first.currency === second.currency && first.units === second.units
  )
}

/** Whether operators have given somebody what an arrival brought. */
export const isAssigned = ({ details }: Pick<Operation, "details">): boolean => details.assigned?.operation_id != null

/** Whether operators have assigned what an arrival brought, in whichever block, and whatever it brings now. The command reads `bookedArrivalReads`. */
export const wasAssigned = (view: View, txHash: string, arrival: string): boolean =>
  view.group(Operation, txHash).some((one) => isAssigned(one) && bookedArrival(one) === arrival)

const withDetails = (operation: Operation, more: OperationDetails<"ADJUSTMENT">): Operation => ({
  ...operation,
  details: { ...ofKind(operation, "ADJUSTMENT").details, ...more }
})

/** Takes back what was noted of an arrival when it had left the chain. */
const noLongerGone = (view: View, txHash: string, again: Operation): ReadonlyArray<Change> =>
  view.group(Operation, txHash).flatMap((one) => {
    const { reversed_by: by } = one.details
    const after = by !== undefined && isSameArrival(one, again) ? withoutContradictionsOf(one, by) : one
    return after === one ? [] : [putRecord(Operation, after)]
  })

/**
 * Puts an ADJUSTMENT that books in suspense what a transaction brought, or that takes it back: which is noted with the one that had booked it. What
 * was assigned, and is there again in another block, is booked as assigned: it was given to somebody already. Where it brings something else now, that
 * was given to nobody. What was noted as it left the chain (`withGiven`) goes where it is booked again. The command reads `bookedArrivalReads`.
 */
export const putArrival = (view: View, txHash: string, operation: Operation): ReadonlyArray<Change> => {
  const { reverses } = operation.details
  if (reverses != null) {
    const taken = view.group(Operation, txHash).filter(({ id }) => id === reverses)
    const noted = taken.map((one) => withDetails(one, { reversed_by: operation.id }))
    return [operation, ...noted].map((one) => putRecord(Operation, one))
  }
  const before = view.group(Operation, txHash).find((one) => isAssigned(one) && isSameArrival(one, operation))
  const { assigned, succeeds = before?.id } = before?.details ?? {}
  const isGiven = assigned != null && succeeds !== undefined
  return [
    putRecord(Operation, isGiven ? withDetails(operation, { assigned, succeeds }) : operation),
    ...noLongerGone(view, txHash, operation)
  ]
}
