import { saidUnder } from "../custody/claimOrder.ts"
import { putRecord } from "../engine/Records.ts"
import { contradictedBy, type Contradicting } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { isReplaced } from "../operation/orderIds.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { done } from "../port/ProviderResult.ts"
import { type Decided, shown, type TransferCase } from "./transferCase.ts"
import { outcome } from "./transferContradiction.ts"

/** Whether an answer is about an order that the transfer had before operators stated it under another id. */
export const isOfReplaced = (operation: Operation, { providerReference }: TransferState): boolean =>
  isReplaced(operation, providerReference)

/** That a transfer has come to an outcome, as it is said of an order that is not the one that counts; undefined where none is told. */
export const outcomeSaid = (
  given: Pick<TransferCase, "currencies">,
  state: TransferState
): Contradicting | undefined => {
  const { returned, status } = state
  if (status !== "SETTLED" && status !== "FAILED" && status !== "RETURNED") return undefined
  const back = returned === null ? "" : ` of ${shown(given, returned)}`
  return { said: `${outcome(state)}${back}`, moved: status !== "FAILED" }
}

/**
 * What is said of such an order. Nothing is booked on it: it may be the same order under its other name, which came back, or another one, which was
 * carried out, too. Each outcome is noted for operators.
 */
export const saidOfReplaced = (given: TransferCase, state: TransferState): Decided => {
  const { operation, view } = given
  const told = saidUnder(operation, done(state), outcomeSaid(given, state))
  const after = told && contradictedBy(operation, told, view.now, state.providerReference)
  return after === undefined ? { operation, changes: [] } : { operation: after, changes: [putRecord(Operation, after)] }
}
