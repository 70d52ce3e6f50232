import { Refusal } from "../base/Refusal.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Account } from "../ledger/Account.ts"
import { ofKind, Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"

/** An adjustment, as far as it corrects what another operation has booked with a provider. */
export interface Correcting {
  readonly against: Account
  readonly from?: Account | null
  /** The operation that it corrects; null or absent where it is an operation of its own. */
  readonly corrects?: string | null
}

/** What correcting an operation reads. */
export const correctedReads = ({ corrects }: Pick<Correcting, "corrects">): ReadonlyArray<Read> =>
  corrects == null ? [] : [readRecord(Operation, corrects)]

/** The accounts that are compared with statements. */
const hasStatements = (account: Account): boolean => account === "custodian" || account === "bank"

const isCorrection = (operation: Operation): boolean =>
  operation.kind === "ADJUSTMENT" && ofKind(operation, "ADJUSTMENT").details.corrects != null

/**
 * Why an adjustment cannot correct its operation; undefined where it can, or corrects none. The two are compared with statements as one, so what is
 * in flight, of which nothing is said yet, would hide it. What takes a correction back names what that corrects, so that all are judged by their sum.
 */
export const refuseCorrecting = (view: View, { against, corrects, from }: Correcting): Refusal | undefined => {
  if (corrects == null) return undefined
  const found = view.get(Operation, corrects)
  if (found === undefined)
    return new Refusal({ code: "not_found", message: "The tenant has no such operation to correct." })
  if (![against, from ?? []].flat().some(hasStatements))
    return new Refusal({
      code: "invalid_request",
      message: "What is corrected is what an operation has booked at a custodian or a bank: name that place."
    })
  if (isCorrection(found))
    return new Refusal({
      code: "invalid_request",
      message: `Operation ${found.id} is a correction itself: name the operation that it corrects.`
    })
  return isOver(found.status)
    ? undefined
    : new Refusal({ code: "state_conflict", message: `Operation ${found.id} is ${found.status}: it is not over.` })
}
