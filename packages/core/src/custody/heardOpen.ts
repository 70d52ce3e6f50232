import type { View } from "../engine/View.ts"
import { movedBesideBy, withoutContradictionsOf } from "../operation/contradictions.ts"
import type { Operation } from "../operation/Operation.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { isUnderAnotherId, ownAnswer, type Referenced, referenceOf, saidUnder } from "./claimOrder.ts"
import type { Late } from "./heardLate.ts"

/**
 * An operation that is open, with what its provider says of it under another id than is booked. Such an answer moves nothing (`claimOrder`), and its next
 * word would hide it: that money has moved by that order is noted for operators. What is noted of an order that turns out to be another operation's is
 * taken back; what it says otherwise of that order itself has it said anew later (`movedBesideBy`).
 */
export const heardOpen = <A extends Referenced>(
  view: View,
  operation: Operation,
  heard: ProviderResult<A>,
  contradiction: Late<A>["contradiction"]
): Operation => {
  const reference = referenceOf(heard)
  if (!isUnderAnotherId(operation, heard)) return operation
  if (ownAnswer(view, operation, heard) !== heard) return withoutContradictionsOf(operation, reference)
  const told = saidUnder(operation, heard, contradiction(operation, heard))
  return movedBesideBy(operation, told, view.now, reference)
}
