import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { View } from "../engine/View.ts"
import { type Leaving, leaveReads, mayNotLeave } from "./mayLeave.ts"
import type { Objection } from "../operation/waits.ts"
import { Operation } from "../operation/Operation.ts"

/** Which of some operations may not leave now, and why: what is not named may. The command reads `leaveReads` of each. */
export const objectionsTo = (view: View, operations: ReadonlyArray<Leaving>): ReadonlyMap<string, Objection> =>
  new Map(
    operations.flatMap(({ id }) => {
      const operation = view.get(Operation, id)
      const objection = operation && mayNotLeave(view, operation)
      return objection === undefined ? [] : [[id, objection] as const]
    })
  )

/** Asks which of some operations may not leave now, and why. What is answered counts for nothing: the intent to send asks again. */
export const askLeaving = (operations: ReadonlyArray<Leaving>): Command<ReadonlyMap<string, Objection>> => ({
  name: "AskLeaving",
  reads: operations.flatMap(leaveReads),
  decide: (view) => Result.succeed({ changes: [], reply: objectionsTo(view, operations) })
})
