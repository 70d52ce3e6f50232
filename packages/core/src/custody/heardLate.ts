import type { Change } from "../engine/Change.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { Operation } from "../operation/Operation.ts"
import { answeredLate } from "../operation/resolved.ts"
import type { ConversionState, WithdrawalState } from "../port/Custodian.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { ownAnswer, referenceOf, saidUnder } from "./claimOrder.ts"
import { contradiction } from "./contradiction.ts"
import { custodianQueue } from "./CustodyStep.ts"

/** An operation without what was noted of an order that has turned out to be another's. */
const withoutAnothers = (operation: Operation, reference: string | null): Operation => {
  const { contradiction: noted, ...details } = operation.details
  return reference !== null && noted?.reference === reference ? { ...operation, details } : operation
}

/**
 * What a custodian's answer does to an operation that is over. A custodian may find an order by what it looks like: what is noted of one that another
 * operation turns out to have is taken back, so that it hides nothing that is said of the operation's own later.
 */
export const heardLate = (
  view: View,
  operation: Operation,
  answer: ProviderResult<ConversionState | WithdrawalState>
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const own = ownAnswer(view, operation, answer)
  const reference = referenceOf(answer)
  const before = own === answer ? operation : withoutAnothers(operation, reference)
  const said = saidUnder(before, own, contradiction(before, own))
  const late = answeredLate(custodianQueue, before, said, view.now, reference)
  return { ...late, changes: [...(before === operation ? [] : [putRecord(Operation, before)]), ...late.changes] }
}
