import { saidUnder } from "../custody/claimOrder.ts"
import { putRecord } from "../engine/Records.ts"
import { Operation } from "../operation/Operation.ts"
import { contradictedBy, isNearer } from "../operation/resolved.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { done } from "../port/ProviderResult.ts"
import { type Decided, shown, type TransferCase } from "./transferCase.ts"

/** Whether an answer is about the order that the provider had named before operators stated the transfer under another id. */
export const isOfReplaced = ({ details }: Operation, { providerReference }: TransferState): boolean =>
  details.told_reference === providerReference

/**
 * What is said of such an order. Nothing is booked on it: it may be the same order under its other name, which came back, or another one, which was
 * carried out, too. Each outcome is noted for operators, a later one in place of the one before.
 */
export const saidOfReplaced = (given: TransferCase, state: TransferState): Decided => {
  const { operation, view } = given
  const { providerReference, returned, status } = state
  const isOutcome = status === "SETTLED" || status === "FAILED" || status === "RETURNED"
  const { contradiction: noted } = operation.details
  const isFirst =
    noted === undefined ||
    noted.reference === providerReference ||
    isNearer(operation, providerReference, noted.reference)
  if (!isOutcome || !isFirst) return { operation, changes: [] }
  const back = returned === null ? "" : ` of ${shown(given, returned)}`
  const said = saidUnder(operation, done(state), `it says ${status}${back}`)
  if (said === undefined || said === noted?.said) return { operation, changes: [] }
  const after = contradictedBy(operation, said, view.now, providerReference)
  return { operation: after, changes: [putRecord(Operation, after)] }
}
