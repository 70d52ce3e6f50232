import { of } from "../money/Amount.ts"
import { ofKind, type Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import type { WithdrawalState } from "../port/Custodian.ts"

/** By what an order is said to be settled. */
export type Settlement = Extract<WithdrawalState, { readonly _tag: "Settled" }>

/** What a custodian says of a withdrawal that it has settled, with what it had told before: a word that says less takes nothing back. */
export const withTold = (
  { details: { told_fee: fee, told_tx: toldTx }, txHash }: Operation,
  state: Settlement
): Settlement => ({
  ...state,
  txHash: state.txHash ?? toldTx ?? txHash,
  networkFee: state.networkFee ?? (fee === undefined ? null : of(BigInt(fee.units), fee.currency))
})

/** The details of a withdrawal of which nothing that was told waits to be booked. */
export const withoutTold = (operation: Operation): OperationDetails<"WITHDRAWAL"> => {
  const { told_fee: _, told_tx: __, ...details } = ofKind(operation, "WITHDRAWAL").details
  return details
}

/**
 * A withdrawal that cannot be booked as it is said to be settled, with what is told of it. A transaction that has paid another operation (`isOthers`) is
 * not named as its own.
 */
export const keepingTold = (
  operation: Operation,
  { networkFee, txHash }: Settlement,
  isOthers: boolean
): Operation => ({
  ...operation,
  txHash: isOthers ? operation.txHash : txHash,
  details: {
    ...withoutTold(operation),
    ...(isOthers && txHash !== null && { told_tx: txHash }),
    ...(networkFee !== null && { told_fee: { units: networkFee.units.toString(), currency: networkFee.currency } })
  }
})
