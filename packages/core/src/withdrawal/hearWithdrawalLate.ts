import { ownAnswer } from "../custody/claimOrder.ts"
import { contradiction, firstNamed, isSettledBy, lateAtCustodian } from "../custody/contradiction.ts"
import { heardLate, type Late } from "../custody/heardLate.ts"
import { toldHash } from "../custody/toldHash.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { NetworkTable } from "../money/Network.ts"
import { ofKind, Operation } from "../operation/Operation.ts"
import type { WithdrawalState } from "../port/Custodian.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { claimPayments, paidOther, type PartOf, provingPayments } from "./paymentOf.ts"

/** What a custodian says of a withdrawal that is over, and how payments on its network are known. */
interface LateWord {
  readonly answer: ProviderResult<WithdrawalState>
  readonly networks: NetworkTable
  readonly partOf: PartOf
}

/** The transaction by which a custodian says that an order of a withdrawal's own was settled, as its network writes it; undefined where it names none. */
const namedBy = (
  view: View,
  operation: Operation,
  { answer, networks }: Omit<LateWord, "partOf">
): string | undefined => {
  const own = ownAnswer(view, operation, answer)
  if (own._tag !== "Done" || own.value._tag !== "Settled" || own.value.txHash === null) return undefined
  return operation.network === null ? undefined : toldHash(networks.of(operation.network), own.value.txHash)
}

/**
 * A withdrawal with the transaction that its custodian names, where that is the first of one which was settled without any: by it a second one is heard.
 * One that has paid another (`isOthers`) is not its own, and of a second order it is no payment of the first.
 */
const withFirst = (operation: Operation, answer: LateWord["answer"], txHash: string, isOthers: boolean): Operation => {
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
export const hearWithdrawalLate = (view: View, operation: Operation, word: LateWord): ReturnType<typeof heardLate> => {
  const { answer, partOf } = word
  const txHash = namedBy(view, operation, word)
  if (txHash === undefined || isSettledBy(operation, txHash)) return heardLate(view, operation, answer, lateAtCustodian)
  const payments = provingPayments(operation, txHash, partOf)
  const other = paidOther(view, payments, "custodian")
  const known = withFirst(operation, answer, txHash, other !== undefined)
  const heard = heardLate(view, known, answer, other === undefined ? lateAtCustodian : paidAnother(txHash, other))
  return {
    ...heard,
    changes: [
      ...(known === operation ? [] : [putRecord(Operation, known)]),
      ...(other === undefined ? claimPayments(view, payments, "custodian") : []),
      ...heard.changes
    ]
  }
}
