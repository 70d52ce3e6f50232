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
  if (said !== "RETURNED") return { said: `it says ${said}`, moved: said === "SETTLED" }
  return isAllBack(operation, answer.value) ? undefined : { said: "it says RETURNED, and not of all", moved: true }
}
