import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { lastWord, putOf } from "../operation/said.ts"
import { wasSent } from "../operation/wasSent.ts"
import { refused } from "../port/ProviderResult.ts"
import { recordSwap } from "../swap/recordSwap.ts"
import { recordTransfer } from "../transfer/recordTransfer.ts"
import { recordWithdrawal } from "../withdrawal/recordWithdrawal.ts"
import { withDetails } from "./applyStatement.ts"
import { isResolvable } from "./Resolution.ts"
import { readRecord } from "../engine/Records.ts"

/** An operator's wish that an operation is not carried out. Chain payouts have a way of their own (`cancelPayout`). */
export interface CancelOperation {
  /** As it was read. */
  readonly operation: Operation
  readonly by: string
  readonly currencies: CurrencyTable
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/** What the operation is recorded by: that its provider never took it, which is so because nothing was ever sent. */
const neverSent = ({ by, currencies, operation }: CancelOperation): Command<Operation | undefined> | undefined => {
  const { kind } = operation
  if (!isResolvable(kind)) return undefined
  const answer = refused(`cancelled by ${by} before it was sent`)
  if (kind === "SWAP") return recordSwap({ operation, answer, currencies })
  return kind === "WITHDRAWAL"
    ? recordWithdrawal({ operation, answer, currencies, networkFeeBorneBy: "RECEIVER" })
    : recordTransfer({ operation, answer, currencies })
}

/**
 * Cancels an operation that was not sent: it fails (`cancelled_by_operator`), and what it held or had taken is given back. What was
 * sent is its provider's to tell of. Refused: `not_found`; what was sent, is over, or is carried out by no provider (`state_conflict`).
 */
export const cancelOperation = (command: CancelOperation): Command<Operation> => {
  const { by, operation: read } = command
  const recording = neverSent(command)
  return {
    name: "CancelOperation",
    reads: [readRecord(Operation, read.id), ...(recording?.reads ?? [])],
    decide: (view) => {
      const operation = view.get(Operation, read.id)
      if (operation === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such operation." }))
      if (recording === undefined) return conflict(`A ${operation.kind} cannot be cancelled here.`)
      if (isOver(operation.status)) return conflict(`The operation is ${operation.status}.`)
      if (wasSent(operation)) return conflict("It was sent, or may have been: resolve it by what its provider says.")
      return Result.flatMap(recording.decide(view), ({ changes }) => {
        const word = withDetails({ failure_reason: "cancelled_by_operator", cancelled_by: by })
        const all = lastWord(changes, operation.id, word)
        const failed = putOf(all, operation.id)
        return failed?.status === "FAILED"
          ? Result.succeed({ changes: all, reply: failed })
          : conflict(`The operation is ${operation.status}.`)
      })
    }
  }
}
