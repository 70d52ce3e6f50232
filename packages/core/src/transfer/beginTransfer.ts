import { Result } from "effect"
import { unschedule } from "../engine/Agenda.ts"
import type { Command } from "../engine/Command.ts"
import type { Operation } from "../operation/Operation.ts"
import { transferTopic } from "./Transfer.ts"
import { askAgain, transferSentAt } from "./transferAgenda.ts"

/** Whether an order may go out now, for the first and only time, or the provider is to be asked what became of it. */
export type TransferTask =
  | { readonly _tag: "Send"; readonly operation: Operation }
  | { readonly _tag: "Ask"; readonly operation: Operation }
  | { readonly _tag: "Nothing" }

/**
 * Records the intent to send a transfer's order to the provider, and when, before it is sent. Whoever finds the intent
 * recorded asks instead of sending: an order goes out once, whatever crashes in between. Where the transfer stands is for
 * the provider to tell: its status stays.
 */
export const beginTransfer = (operationId: string): Command<TransferTask> => ({
  name: "BeginTransfer",
  reads: [{ _tag: "Operation", id: operationId }],
  decide: (view) => {
    const operation = view.operation(operationId)
    if (operation === undefined || operation.status === "FAILED" || operation.status === "RETURNED")
      return Result.succeed({ changes: [unschedule(transferTopic, operationId)], reply: { _tag: "Nothing" } })
    if (transferSentAt(operation) !== null)
      return Result.succeed({ changes: [askAgain(operation, view.now)], reply: { _tag: "Ask", operation } })
    const begun: Operation = { ...operation, details: { ...operation.details, sent_at: view.now } }
    return Result.succeed({
      changes: [{ _tag: "OperationPut", operation: begun }, askAgain(begun, view.now)],
      reply: { _tag: "Send", operation: begun }
    })
  }
})
