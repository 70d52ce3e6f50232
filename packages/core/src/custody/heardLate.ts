import type { Change } from "../engine/Change.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import {
  type Contradicting,
  takesBack,
  withClosedTakenBack,
  withoutContradictionsOf
} from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { answeredLate } from "../operation/resolved.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { ownAnswer, type Referenced, referenceOf, saidUnder } from "./claimOrder.ts"

/** In which queue operations that are over wait for their provider, and what it says of one that cannot be so as the books have it. */
export interface Late<A> {
  readonly queue: string
  readonly contradiction: (operation: Operation, answer: ProviderResult<A>) => Contradicting | undefined
}

/**
 * What a provider's answer does to an operation that is over. A provider may answer about another order, which a custodian may find by what it looks
 * like: what is noted of one that another operation turns out to have is taken back, so that it hides nothing that is said of the operation's own later.
 * What it takes back itself hides nothing either (`withClosedTakenBack`).
 */
export const heardLate = <A extends Referenced>(
  view: View,
  operation: Operation,
  answer: ProviderResult<A>,
  { contradiction, queue }: Late<A>
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const own = ownAnswer(view, operation, answer)
  const reference = referenceOf(answer)
  const before = own === answer ? operation : withoutContradictionsOf(operation, reference)
  const said = saidUnder(before, own, contradiction(before, own))
  const known = own._tag === "Done" && takesBack(before, said) ? withClosedTakenBack(before, reference) : before
  const late = answeredLate(queue, known, said, view.now, reference)
  return { ...late, changes: [...(known === operation ? [] : [putRecord(Operation, known)]), ...late.changes] }
}
