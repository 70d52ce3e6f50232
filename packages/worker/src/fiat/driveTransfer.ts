import type { AgendaItem } from "@bursar/core/engine/Agenda"
import type { Fence } from "@bursar/core/engine/fenced"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { type Answer, unknown } from "@bursar/core/port/Answer"
import type { FiatProvider, TransferState } from "@bursar/core/port/FiatProvider"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { transferOrderOf } from "@bursar/core/transfer/transferOrder"
import { Effect } from "effect"
import { surviving } from "../agenda/surviving.ts"
import { submitFenced } from "../watch/submitFenced.ts"

/** Sends the order the first time, asks afterwards. Another provider than the one that has it must not be asked: it would deny it. */
const answerOf = (
  operation: Operation,
  first: boolean,
  fiat: FiatProvider["Service"]
): Effect.Effect<Answer<TransferState>> => {
  const order = transferOrderOf(operation)
  if (order === undefined) return Effect.succeed(unknown(`a ${operation.kind} is no order of the fiat provider`))
  if (operation.provider !== fiat.name)
    return Effect.succeed(unknown(`the order is with ${operation.provider}, which is not configured`))
  return surviving(first ? fiat.send(order) : fiat.transfer(order, operation.providerReference))
}

/**
 * Carries a transfer to the provider, once, after the intent was recorded; from then on asks by our own reference what became
 * of it, for as long as it can still change.
 */
export const driveTransfer = Effect.fn("fiat.driveTransfer")(function* (
  fence: Fence,
  { key, tenantId }: AgendaItem,
  fiat: FiatProvider["Service"],
  currencies: CurrencyTable
) {
  const task = yield* submitFenced(fence, tenantId, beginTransfer(key))
  if (task._tag === "Nothing") return
  const { operation } = task
  const answer = yield* answerOf(operation, task._tag === "Send", fiat)
  yield* submitFenced(fence, tenantId, recordTransfer({ operation, answer, currencies }))
})
