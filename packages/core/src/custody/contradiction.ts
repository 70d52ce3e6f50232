import { storable } from "../base/storable.ts"
import { inBaseUnits } from "../money/Amount.ts"
import type { Contradicting } from "../operation/contradictions.ts"
import type { Operation } from "../operation/Operation.ts"
import { toldNone } from "../operation/orderIds.ts"
import { resolvedOf } from "../operation/resolved.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { isUnderAnotherId } from "./claimOrder.ts"
import { custodianQueue } from "./CustodyStep.ts"
import { toldHash } from "./toldHash.ts"
import type { ConversionState, WithdrawalState } from "../port/Custodian.ts"

const receivedDiffers = (operation: Operation, state: ConversionState | WithdrawalState): boolean => {
  const told = resolvedOf(operation)?.received ?? null
  if (told === null || state._tag !== "Settled" || !("received" in state)) return false
  return state.received.units !== told.units || state.received.currency !== told.currency
}

/** Whether an answer is about a second order of an operation. Where its custodian had named none, it may call the same order otherwise than operators do. */
const isSecond = (operation: Operation, answer: ProviderResult<ConversionState | WithdrawalState>): boolean =>
  isUnderAnotherId(operation, answer) && !toldNone(operation)

/** A transaction in whatever form, so that it can be compared; undefined for what is none. */
const digitsOf = (txHash: string | null): string | undefined =>
  txHash === null ? undefined : toldHash({ hashPrefix: "" }, txHash)

/** The transaction that has settled a withdrawal: the one that is booked of it, or that its custodian has named since; null where none is known. */
export const settledBy = ({ details, txHash }: Operation): string | null => txHash ?? details.paid_by ?? null

/** Whether a withdrawal has settled by a transaction. */
export const isSettledBy = (operation: Operation, txHash: string): boolean =>
  operation.status === "SETTLED" && digitsOf(settledBy(operation)) === digitsOf(txHash)

/** The transaction that was named first of a withdrawal that has settled, also where it has paid another operation; null where none was named. */
export const firstNamed = (operation: Operation): string | null =>
  settledBy(operation) ?? operation.details.told_tx ?? null

/** The transaction that an answer names, where it is another than the one that was named first of a withdrawal; undefined where it is the same, or one is not known. */
const anotherTransaction = (operation: Operation, state: ConversionState | WithdrawalState): string | undefined => {
  const [booked, told] = [digitsOf(firstNamed(operation)), digitsOf("txHash" in state ? state.txHash : null)]
  return booked === undefined || told === booked ? undefined : told
}

/** What says nothing of money that has moved; with the reason that the custodian gives for it, where it gives one. */
const unmoved = (kind: string, reason?: string): Contradicting =>
  reason === undefined ? { said: kind, moved: false } : { said: `${kind}: ${reason}`, kind, moved: false }

/** By what an order is said to be settled, in words: each transaction, and each amount, is news. Nothing where nothing is told of it. */
const howSettled = (state: Extract<ConversionState | WithdrawalState, { readonly _tag: "Settled" }>): string => {
  if ("received" in state) {
    const sold = state.sold === undefined ? "" : ` for ${inBaseUnits(state.sold)}`
    return ` with ${inBaseUnits(state.received)}${sold}`
  }
  return state.txHash === null ? "" : ` by ${digitsOf(state.txHash) ?? storable(state.txHash)}`
}

/** What a custodian says of an order that is over which cannot be so as the books have it; undefined where it says nothing of the kind. */
export const contradiction = (
  operation: Operation,
  answer: ProviderResult<ConversionState | WithdrawalState>
): Contradicting | undefined => {
  const settled = operation.status === "SETTLED"
  switch (answer._tag) {
    case "Unknown":
      return undefined
    case "Refused":
      return settled ? unmoved("it denies the order", answer.reason) : undefined
    case "Done": {
      const state = answer.value
      switch (state._tag) {
        case "Pending":
          return settled ? undefined : unmoved("it says that the order is on its way")
        case "Failed":
          return settled ? unmoved("it says that the order failed", storable(state.reason)) : undefined
        case "Settled": {
          const another = settled ? anotherTransaction(operation, state) : undefined
          if (another !== undefined)
            return { said: `it says that the transaction ${another} has settled it`, moved: true }
          const how = howSettled(state)
          if (!settled || isSecond(operation, answer))
            return { said: `it says that the order is settled${how}`, moved: true }
          return receivedDiffers(operation, state)
            ? unmoved(`it says that it is settled${how}: something else was received`)
            : undefined
        }
      }
    }
  }
}

/** How the late answers of a custodian are heard (`heardLate`). */
export const lateAtCustodian = { queue: custodianQueue, contradiction }
