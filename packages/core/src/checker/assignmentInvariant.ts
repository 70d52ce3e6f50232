import type { Amount } from "../money/Amount.ts"
import { bookedArrival, broughtBy, isSameArrival } from "../operation/bookedArrival.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Invariant } from "./Invariant.ts"

/** What stands on one side of an assignment: the operation on the other side, and the amount by this one. */
interface Side extends Amount {
  readonly id: string
}

/** What is wrong with an arrival that is booked as assigned because it was, in a block that is gone; undefined where it may be. */
const wrongSuccessor = (successor: Operation, first: Operation | undefined): string | undefined => {
  const { assigned, succeeds } = successor.details
  const told = `operation ${successor.id} succeeds operation ${succeeds ?? ""}`
  if (first === undefined || !isSameArrival(first, successor))
    return `${told}, which is of another arrival, or brought something else`
  if (first.details.reversed_by === undefined) return `${told}, which was not taken back`
  return assigned == null || first.details.assigned?.operation_id !== assigned.operation_id
    ? `${told}, and is assigned otherwise`
    : undefined
}

/** What arrived for nobody is given to somebody once. */
export const assignedArrivals: Invariant = {
  name: "assigned-arrivals",
  rule: "every ADJUSTMENT that assigns an arrival is the only one, gives just what that brought into suspense, and is named by it; every arrival that names one was assigned by it, or had been in a block that is gone, and had brought the same; every arrival that was taken back names what took it",
  run: () => ({}),
  bySubject: ({ owns }) => {
    const arrivals = new Map<string, Side>()
    const assigning = new Map<string, Side>()
    /** Arrivals that were assigned or taken back. */
    const firsts = new Map<string, Operation>()
    const successors: Array<Operation> = []
    const takenBack = new Map<string, string>()
    return {
      operation: (operation) => {
        const { assigned, reversed_by: by, succeeds } = operation.details
        const to = assigned?.operation_id
        if (to != null || by !== undefined) firsts.set(operation.id, operation)
        if (to != null && succeeds === undefined) arrivals.set(operation.id, { id: to, ...broughtBy(operation) })
        return undefined
      },
      all: {
        operation: (operation) => {
          const { amount, details, id } = operation
          const { assigns, reverses, succeeds } = details
          if (succeeds !== undefined && owns(succeeds)) successors.push(operation)
          if (reverses != null && owns(reverses) && bookedArrival(operation) !== undefined) {
            const other = takenBack.get(reverses)
            takenBack.set(reverses, id)
            if (other !== undefined) return `operations ${other} and ${id} both take back operation ${reverses}`
          }
          if (assigns === undefined || !owns(assigns)) return undefined
          const other = assigning.get(assigns)
          assigning.set(assigns, { id, ...amount })
          return other === undefined ? undefined : `operations ${other.id} and ${id} both assign operation ${assigns}`
        }
      },
      finish: () => {
        for (const [arrival, { currency, id, units }] of assigning) {
          const brought = arrivals.get(arrival)
          if (brought?.id !== id) return `operation ${id} assigns operation ${arrival}, which does not say so`
          if (brought.units !== units || brought.currency !== currency)
            return `operation ${id} assigns ${units} ${currency} of operation ${arrival}, which brought ${brought.units} ${brought.currency}`
        }
        for (const [arrival, { id }] of arrivals) {
          if (!assigning.has(arrival)) return `operation ${id} does not assign operation ${arrival}, which says so`
        }
        for (const [arrival, id] of takenBack) {
          if (firsts.get(arrival)?.details.reversed_by !== id)
            return `operation ${id} takes back operation ${arrival}, which does not say so`
        }
        for (const [arrival, { details }] of firsts) {
          const { reversed_by: by } = details
          if (by !== undefined && !takenBack.has(arrival))
            return `operation ${by} does not take back operation ${arrival}, which says so`
        }
        for (const successor of successors) {
          const wrong = wrongSuccessor(successor, firsts.get(successor.details.succeeds ?? ""))
          if (wrong !== undefined) return wrong
        }
        return undefined
      }
    }
  }
}
