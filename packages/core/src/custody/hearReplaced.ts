import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { movedBesideBy } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { isReplaced, toldNone } from "../operation/orderIds.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { claimReads, ownAnswer, type Referenced, referenceOf, saidUnder } from "./claimOrder.ts"
import type { Late } from "./heardLate.ts"

/** Whether an id may be of the order that operators have stated under another: one that it had, or any by which it answers to our own reference. */
const isBeside = (operation: Operation, reference: string): boolean =>
  reference !== operation.providerReference && (isReplaced(operation, reference) || toldNone(operation))

/** What else is kept of what is said of an order of an operation's own, and what that reads. */
export interface KeptBeside {
  readonly reads: ReadonlyArray<Read>
  readonly changes: (view: View, operation: Operation) => ReadonlyArray<Change>
}

const nothingElse: KeptBeside = { reads: [], changes: () => [] }

/**
 * Hears what a provider says of an operation under an id in place of which operators have stated another, where it has said something under that one, too:
 * that money has moved by both is noted for operators. All else that it says is no news, since the other order is the one that counts, and nothing is booked.
 */
export const hearReplaced = <A extends Referenced>(
  read: Operation,
  answer: ProviderResult<A>,
  contradiction: Late<A>["contradiction"],
  kept: KeptBeside = nothingElse
): Command<Operation | undefined> => ({
  name: "HearReplaced",
  reads: [readRecord(Operation, read.id), ...claimReads(read, answer), ...kept.reads],
  decide: (view) => {
    const operation = view.get(Operation, read.id)
    const reference = referenceOf(answer)
    if (operation === undefined || reference === null || !isBeside(operation, reference))
      return Result.succeed({ changes: [], reply: operation })
    if (ownAnswer(view, operation, answer) !== answer) return Result.succeed({ changes: [], reply: operation })
    const told = saidUnder(operation, answer, contradiction(operation, answer))
    const after = movedBesideBy(operation, told, view.now, reference)
    const changes = [...(after === operation ? [] : [putRecord(Operation, after)]), ...kept.changes(view, operation)]
    return Result.succeed({ changes, reply: after })
  }
})
