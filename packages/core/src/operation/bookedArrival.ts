import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { ofKind, Operation } from "./Operation.ts"
import type { OperationDetails } from "./OperationDetails.ts"

/** What makes it the same arrival that operations have booked, or taken back, whatever block it stands in; undefined for any other operation. */
export const bookedArrival = ({ details, txHash }: Operation): string | undefined => {
  const { uncredited_deposit: deposit, wallet_arrival: wallet } = details
  if (deposit !== undefined || wallet === undefined) return deposit
  return [wallet.network, txHash, wallet.transfer_index].join("|")
}

/** What is read of all that was booked of what a transaction brought. */
export const bookedArrivalReads = (txHash: string): ReadonlyArray<Read> => [readGroup(Operation, txHash)]

/** The operation that had booked an arrival in suspense when operators assigned it; undefined where they have not. The command reads `bookedArrivalReads`. */
export const assignedArrival = (view: View, txHash: string, arrival: string | undefined): Operation | undefined =>
  view
    .group(Operation, txHash)
    .find((one) => one.details.assigned?.operation_id != null && bookedArrival(one) === arrival)

const withDetails = (operation: Operation, more: OperationDetails<"ADJUSTMENT">): Operation => ({
  ...operation,
  details: { ...ofKind(operation, "ADJUSTMENT").details, ...more }
})

/**
 * Puts an ADJUSTMENT that books in suspense what a transaction brought, or that takes it back: which is noted with the one that had booked it. What
 * was assigned, and is there again in another block, is booked as assigned: it was given to somebody already. The command reads `bookedArrivalReads`.
 */
export const putArrival = (view: View, txHash: string, operation: Operation): ReadonlyArray<Change> => {
  const { reverses } = operation.details
  if (reverses != null) {
    const taken = view.group(Operation, txHash).filter(({ id }) => id === reverses)
    const noted = taken.map((one) => withDetails(one, { reversed_by: operation.id }))
    return [operation, ...noted].map((one) => putRecord(Operation, one))
  }
  const before = assignedArrival(view, txHash, bookedArrival(operation))
  const { assigned, succeeds = before?.id } = before?.details ?? {}
  const isGiven = assigned != null && succeeds !== undefined
  return [putRecord(Operation, isGiven ? withDetails(operation, { assigned, succeeds }) : operation)]
}
