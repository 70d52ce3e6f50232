import { broughtBy } from "../adjustment/assignArrival.ts"
import type { Amount } from "../money/Amount.ts"
import type { Invariant } from "./Invariant.ts"

/** What stands on one side of an assignment: the operation on the other side, and the amount by this one. */
interface Side extends Amount {
  readonly id: string
}

/** What arrived for nobody is given to somebody once. */
export const assignedArrivals: Invariant = {
  name: "assigned-arrivals",
  rule: "every ADJUSTMENT that assigns an arrival is the only one, gives just what that brought into suspense, and is named by it; every arrival that names one was assigned by it",
  run: () => ({}),
  bySubject: ({ owns }) => {
    const arrivals = new Map<string, Side>()
    const assigning = new Map<string, Side>()
    return {
      operation: (operation) => {
        const by = operation.details.assigned?.operation_id
        if (by != null) arrivals.set(operation.id, { id: by, ...broughtBy(operation) })
        return undefined
      },
      all: {
        operation: ({ amount, details: { assigns }, id }) => {
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
        return undefined
      }
    }
  }
}
