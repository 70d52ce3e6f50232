import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { contradictionsOf, contradictionsText, withContradictionsClosed } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"

/** An operator's word that what stands against an operation is dealt with. */
export interface CloseContradiction {
  /** As the operator was shown it. */
  readonly operation: Operation
  readonly by: string
  /** What was found out and done. */
  readonly reason: string
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/**
 * Closes what stands against an operation: just what the operator was shown. It is kept with who, when and why, and moves nothing. What is said
 * later opens the operation anew, unless it is the same. Refused: `not_found`; an operation that nothing stands against, or against which
 * something else stands than was shown, or that has another status, or was resolved, since it was shown (`state_conflict`).
 */
export const closeContradiction = ({ by, operation: read, reason }: CloseContradiction): Command<Operation> => ({
  name: "CloseContradiction",
  reads: [readRecord(Operation, read.id)],
  decide: (view) => {
    const operation = view.get(Operation, read.id)
    if (operation === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such operation." }))
    if (contradictionsOf(operation).length === 0) return conflict("Nothing contradicts the operation.")
    if (contradictionsText(operation) !== contradictionsText(read))
      return conflict("The operation, or what contradicts it, has changed since it was read: read it again.")
    const after = withContradictionsClosed(operation, { at: view.now, by, reason })
    return Result.succeed({ changes: [putRecord(Operation, after)], reply: after })
  }
})
