import { ownAnswer } from "../custody/claimOrder.ts"
import { contradiction, lateAtCustodian, settledBy } from "../custody/contradiction.ts"
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

/** The transaction by which a custodian says that it has settled a withdrawal of which none was known; undefined where it names none. */
const firstNamed = (
  view: View,
  operation: Operation,
  { answer, networks }: Omit<LateWord, "partOf">
): string | undefined => {
  const own = ownAnswer(view, operation, answer)
  const { network, status } = operation
  if (status !== "SETTLED" || settledBy(operation) !== null || network === null) return undefined
  if (own._tag !== "Done" || own.value._tag !== "Settled" || own.value.txHash === null) return undefined
  // of a second order it is no payment of the first
  return contradiction(operation, own) === undefined ? toldHash(networks.of(network), own.value.txHash) : undefined
}

const paidAnother = (txHash: string, other: string): Late<WithdrawalState> => ({
  ...lateAtCustodian,
  contradiction: () => ({
    said: `it says that the transaction ${txHash} has settled it, which has paid operation ${other}`,
    moved: true
  })
})

/**
 * What a custodian's answer does to a withdrawal that is over: nothing, but that what cannot be so is noted (`heardLate`). Where operators had settled it
 * by its order alone, the transaction that the custodian names first is kept: it carries out no other withdrawal any more, and a second one is heard. One
 * that has carried out another already is not its own, and is noted. The command reads the payments that it would be (`paymentReads`).
 */
export const hearWithdrawalLate = (view: View, operation: Operation, word: LateWord): ReturnType<typeof heardLate> => {
  const { answer, partOf } = word
  const txHash = firstNamed(view, operation, word)
  if (txHash === undefined) return heardLate(view, operation, answer, lateAtCustodian)
  const payments = provingPayments(operation, txHash, partOf)
  const other = paidOther(view, payments, "custodian")
  if (other !== undefined) return heardLate(view, operation, answer, paidAnother(txHash, other))
  const { details } = ofKind(operation, "WITHDRAWAL")
  const known: Operation = { ...operation, details: { ...details, paid_by: txHash } }
  const late = heardLate(view, known, answer, lateAtCustodian)
  return {
    ...late,
    changes: [putRecord(Operation, known), ...claimPayments(view, payments, "custodian"), ...late.changes]
  }
}
