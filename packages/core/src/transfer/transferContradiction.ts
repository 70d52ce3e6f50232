import { inBaseUnits } from "../money/Amount.ts"
import type { Contradicting } from "../operation/contradictions.ts"
import type { Operation } from "../operation/Operation.ts"
import { wholeOf } from "../operation/movedAmount.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { TransferState } from "../port/FiatProvider.ts"

/** Whether all came back of which the provider says that it did; where it tells no amount it says nothing else. */
const isAllBack = (operation: Operation, { received, returned }: TransferState): boolean => {
  if (returned === null) return received === null
  const isOnRamp = operation.kind === "ON_RAMP"
  const whole = (isOnRamp ? received : null) ?? wholeOf(operation)
  if (returned.currency !== whole.currency) return false
  // what is to arrive for an ON_RAMP is only announced: more may have come, and gone back
  return isOnRamp ? returned.units >= whole.units : returned.units === whole.units
}

/** That not all came back, in words, with all that is told of how much did, and of what: another amount is another thing that is said. */
const notAllBack = ({ received, returned }: TransferState): string => {
  const told = [
    ...(returned === null ? [] : [`${inBaseUnits(returned)} came back`]),
    ...(received === null ? [] : [`${inBaseUnits(received)} had moved`])
  ]
  return ["it says RETURNED, and not of all", ...(told.length === 0 ? [] : [told.join(", and ")])].join(": ")
}

/** What is said of a transfer that is under way, or has settled: with how much, where that is told. */
export const outcome = ({ received, status }: TransferState): string =>
  status === "SETTLED" && received !== null ? `it says SETTLED with ${inBaseUnits(received)}` : `it says ${status}`

/**
 * What a provider says of a transfer of which nothing can become any more which cannot be so as the books have it; undefined where
 * it says nothing of the kind.
 */
export const transferContradiction = (
  operation: Operation,
  answer: ProviderResult<TransferState>
): Contradicting | undefined => {
  if (answer._tag !== "Done") return undefined
  const { status: said } = answer.value
  if (said === "UNRESOLVED" || said === "FAILED") return undefined
  if (said !== "RETURNED") return { said: outcome(answer.value), moved: said === "SETTLED" }
  return isAllBack(operation, answer.value) ? undefined : { said: notAllBack(answer.value), moved: true }
}
