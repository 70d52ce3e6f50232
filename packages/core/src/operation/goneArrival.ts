import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { isAssigned } from "./bookedArrival.ts"
import { contradictedBy } from "./contradictions.ts"
import type { Operation } from "./Operation.ts"
import { lastWord } from "./said.ts"
import { takenUnnamed } from "./SuspenseTaken.ts"

/** How somebody was, or may have been, given what an arrival brought, in words; undefined where nobody was. */
const howGiven = (view: View, { amount, details }: Operation): string | undefined =>
  isAssigned({ details })
    ? `operation ${details.assigned?.operation_id} has given it to the float`
    : takenUnnamed(view, amount.currency)

const goneGiven = (view: View, arrival: Operation): Operation => {
  const how = howGiven(view, arrival)
  const by = arrival.details.reversed_by ?? null
  const said = `it is not on the chain any more, and ${how}`
  return how === undefined ? arrival : (contradictedBy(arrival, { said, moved: true }, view.now, by) ?? arrival)
}

/**
 * Changes that take back an arrival which the chain has lost, with a note where somebody was, or may have been, given it: the books have it, and nothing
 * else tells operators for good. It is noted of the operation that takes it back, and goes once the arrival is booked again (`putArrival`). The command
 * reads `suspenseTakenRead`.
 */
export const withGiven = (
  view: View,
  arrivalId: string | null,
  changes: ReadonlyArray<Change>
): ReadonlyArray<Change> =>
  arrivalId === null ? changes : lastWord(changes, arrivalId, (arrival) => goneGiven(view, arrival))
