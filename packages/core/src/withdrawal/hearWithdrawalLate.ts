import { ownAnswer } from "../custody/claimOrder.ts"
import { contradiction, firstNamed, isSettledBy, lateAtCustodian } from "../custody/contradiction.ts"
import { heardLate, type Late } from "../custody/heardLate.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { ofKind, Operation } from "../operation/Operation.ts"
import type { WithdrawalState } from "../port/Custodian.ts"
import { claimNamed, type CustodianWord, namedBy, namedPayments } from "./namedPayment.ts"
import { paidOther } from "./paymentOf.ts"

/**
 * A withdrawal with the transaction that its custodian names, where that is the first of one which was settled without any: by it a second one is heard.
 * One that has paid another (`isOthers`) is not its own, and of a second order it is no payment of the first.
 */
const withFirst = (
  operation: Operation,
  answer: CustodianWord["answer"],
  txHash: string,
  isOthers: boolean
): Operation => {
  const { details } = ofKind(operation, "WITHDRAWAL")
  if (operation.status !== "SETTLED" || firstNamed(operation) !== null) return operation
  if (isOthers) return { ...operation, details: { ...details, told_tx: txHash } }
  return contradiction(operation, answer) === undefined
    ? { ...operation, details: { ...details, paid_by: txHash } }
    : operation
}

const paidAnother = (txHash: string, other: string): Late<WithdrawalState> => ({
  ...lateAtCustodian,
  contradiction: () => ({
    said: `it says that the transaction ${txHash} has settled it, which has paid operation ${other}`,
    moved: true
  })
})

/**
 * What a custodian's answer does to a withdrawal that is over: nothing, but that what cannot be so is noted (`heardLate`). A transaction that it names
 * carries out no other withdrawal any more, whatever became of this one: operators book what it has paid. One that has carried out another already is not
 * its own, and is noted. Where operators had settled it by its order alone, the first that is named is kept (`withFirst`). The command reads the payments
 * that it would be (`paymentReads`).
 */
export const hearWithdrawalLate = (
  view: View,
  operation: Operation,
  word: CustodianWord
): ReturnType<typeof heardLate> => {
  const { answer } = word
  const txHash = ownAnswer(view, operation, answer) === answer ? namedBy(operation, word) : undefined
  if (txHash === undefined || isSettledBy(operation, txHash)) return heardLate(view, operation, answer, lateAtCustodian)
  const other = paidOther(view, namedPayments(operation, word), "custodian")
  const known = withFirst(operation, answer, txHash, other !== undefined)
  const heard = heardLate(view, known, answer, other === undefined ? lateAtCustodian : paidAnother(txHash, other))
  return {
    ...heard,
    changes: [
      ...(known === operation ? [] : [putRecord(Operation, known)]),
      ...(other === undefined ? claimNamed(view, operation, word) : []),
      ...heard.changes
    ]
  }
}
