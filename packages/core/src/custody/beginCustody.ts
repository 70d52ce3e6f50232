import { Result } from "effect"
import { schedule, unschedule } from "../engine/Agenda.ts"
import type { Command } from "../engine/Command.ts"
import { moved } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { askAgainAt, custodianTopic } from "./CustodyStep.ts"

/** Whether an order may go out now, for the first and only time, or the custodian is to be asked what became of it. */
export type CustodyTask =
  | { readonly _tag: "Send"; readonly operation: Operation }
  | { readonly _tag: "Ask"; readonly operation: Operation }
  | { readonly _tag: "Nothing" }

/**
 * Records the intent to send an operation's order to the custodian, before it is sent. Whoever finds the intent recorded
 * asks instead of sending: an order goes out once, whatever crashes in between.
 */
export const beginCustody = (operationId: string): Command<CustodyTask> => ({
  name: "BeginCustody",
  reads: [{ _tag: "Operation", id: operationId }],
  decide: (view) => {
    const operation = view.operation(operationId)
    if (operation === undefined || isOver(operation.status))
      return Result.succeed({ changes: [unschedule(custodianTopic, operationId)], reply: { _tag: "Nothing" } })
    if (operation.status !== "ACCEPTED") return Result.succeed({ changes: [], reply: { _tag: "Ask", operation } })
    const started = moved(view, operation, "started", {
      details: { ...operation.details, sent_at: view.now, asked: 0 }
    })
    return Result.succeed({
      changes: [
        { _tag: "OperationPut", operation: started },
        schedule(custodianTopic, operationId, askAgainAt(view.now, 3))
      ],
      reply: { _tag: "Send", operation: started }
    })
  }
})

/** When the order of an operation was sent, as its record says. */
export const sentAtOf = ({ createdAt, details }: Operation): number => {
  const sentAt = details["sent_at"]
  return typeof sentAt === "number" ? sentAt : createdAt
}

/** How often the custodian was asked about an operation. */
export const askedOf = ({ details }: Operation): number => {
  const asked = details["asked"]
  return typeof asked === "number" ? asked : 0
}
