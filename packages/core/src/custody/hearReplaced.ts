import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { contradictedBy, takesBack, withClosedTakenBack } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { isReplaced, toldNone } from "../operation/orderIds.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import { claimReads, ownAnswer, type Referenced, referenceOf, saidUnder } from "./claimOrder.ts"
import type { Late } from "./heardLate.ts"

/** Whether an id may be of the order that operators have stated under another: one that it had, or any by which it answers to our own reference. */
const isBeside = (operation: Operation, reference: string): boolean =>
  reference !== operation.providerReference && (isReplaced(operation, reference) || toldNone(operation))

/**
 * Hears what a provider says of an operation under an id in place of which operators have stated another, where it has said something under that one, too:
 * that money has moved by both is noted for operators. All else that it says is no news, since the other order is the one that counts, and nothing is booked.
 */
export const hearReplaced = <A extends Referenced>(
  read: Operation,
  answer: ProviderResult<A>,
  contradiction: Late<A>["contradiction"]
): Command<Operation | undefined> => ({
  name: "HearReplaced",
  reads: [readRecord(Operation, read.id), ...claimReads(read, answer)],
  decide: (view) => {
    const operation = view.get(Operation, read.id)
    const reference = referenceOf(answer)
    if (operation === undefined || reference === null || !isBeside(operation, reference))
      return Result.succeed({ changes: [], reply: operation })
    const isOwn = ownAnswer(view, operation, answer) === answer
    const told = isOwn ? saidUnder(operation, answer, contradiction(operation, answer)) : undefined
    const before = isOwn && takesBack(operation, told) ? withClosedTakenBack(operation, reference) : operation
    const after = (told?.moved === true ? contradictedBy(before, told, view.now, reference) : undefined) ?? before
    return Result.succeed({ changes: after === operation ? [] : [putRecord(Operation, after)], reply: after })
  }
})
