import { hearReplaced } from "@bursar/core/custody/hearReplaced"
import { rulingOf } from "@bursar/core/grant/Ruling"
import type { Job } from "@bursar/core/engine/Job"
import type { Fence } from "@bursar/core/engine/fenced"
import { beginLook, endLook } from "@bursar/core/engine/look"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { providerMissing } from "@bursar/core/operation/waits"
import { type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import type { FiatProvider, TransferState } from "@bursar/core/port/FiatProvider"
import type { ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { lookAtPrices } from "@bursar/core/leaving/unreviewed"
import { lookAtSignature } from "@bursar/core/leaving/unsigned"
import { askedUsdOf } from "@bursar/core/port/Prices"
import { Queries } from "@bursar/core/store/Queries"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { transferContradiction } from "@bursar/core/transfer/transferContradiction"
import { isUnpromised } from "@bursar/core/transfer/implausiblePayout"
import { receivedCurrencyOf, transferOrderOf } from "@bursar/core/transfer/transferOrder"
import { Effect } from "effect"
import { hearBeside } from "../calls/hearBeside.ts"
import { alone, type Answered, sendOrAsk } from "../calls/sendOrAsk.ts"
import { noteCall } from "../calls/noteCall.ts"
import { lookAtPayer } from "./lookAtPayer.ts"
import { logContradiction } from "../queue/logContradiction.ts"
import { logDeferred } from "../queue/logDeferred.ts"
import { submitFenced } from "../watch/submitFenced.ts"
import { transferCall } from "./transferCall.ts"

type Fiat = FiatProvider["Service"]

/** What an order is to be asked of, and how. */
interface Asking {
  readonly operation: Operation
  readonly first: boolean
  readonly fiat: Fiat | undefined
  readonly currencies: CurrencyTable
}

/** Sends the order the first time, asks afterwards. Another provider than the one that has it must not be asked: it would deny it. */
const answerOf = ({
  currencies,
  fiat,
  first,
  operation
}: Asking): Effect.Effect<Answered<TransferState>, never, ProviderCalls> => {
  const order = transferOrderOf(operation)
  if (order === undefined) return Effect.succeed(alone(unknown(`a ${operation.kind} is no order of the fiat provider`)))
  if (fiat === undefined)
    return Effect.succeed(alone(unknown(`the order is with ${operation.provider}, which is not configured`)))
  return sendOrAsk(operation, first, (by) => noteCall(transferCall({ fiat, operation, order, first, by, currencies })))
}

/** What currencies are worth by which a payout is judged that no quote has promised; nothing is asked for others. */
const usdToJudge = (operation: Operation, answer: ProviderResult<TransferState>) => {
  const isTold = answer._tag === "Done" && (answer.value.status === "SETTLED" || answer.value.status === "RETURNED")
  const isAsked = isTold && isUnpromised(operation)
  return askedUsdOf(isAsked ? [operation.amount.currency, receivedCurrencyOf(operation)] : [])
}

/**
 * Carries a transfer to the provider that it names, once, after the intent was recorded; from then on asks by our own reference
 * what became of it, for as long as it can still change. What may not leave, or names a provider that is not among the `fiats`,
 * waits and is told of.
 */
export const driveTransfer = Effect.fn("fiat.driveTransfer")(function* (
  fence: Fence,
  job: Job,
  fiats: ReadonlyArray<Fiat>,
  currencies: CurrencyTable
) {
  const { key, tenantId } = job
  const read = yield* (yield* Queries).operation(tenantId, key)
  if (read === undefined) return
  const fiat = fiats.find(({ name }) => name === read.provider)
  const ruling = yield* rulingOf(tenantId)
  const begin = beginTransfer(read, fiat, {
    ruling,
    seen: yield* lookAtSignature(read, ruling),
    valued: yield* lookAtPrices(ruling, currencies, [read]),
    payer: yield* lookAtPayer(tenantId, read, fiats)
  })
  const { look, reply: task } = yield* submitFenced(fence, tenantId, beginLook(job, begin))
  if (task._tag === "Nothing") return
  if (task._tag === "Wait") return yield* logDeferred(read, task.objection)
  const { operation } = task
  if (fiat === undefined) yield* logDeferred(operation, providerMissing(operation))
  const { answer, beside } = yield* answerOf({ operation, first: task._tag === "Send", fiat, currencies })
  const usd = yield* usdToJudge(operation, answer)
  const recording = endLook(look, recordTransfer({ operation, answer, currencies, usd }))
  const after = yield* submitFenced(fence, tenantId, recording)
  if (after === undefined) return
  const { repriced_because: repriced, unresolved_because: because } = after.details
  if (after.unresolved && (!operation.unresolved || because !== operation.details.unresolved_because))
    yield* Effect.annotateLogs(Effect.logWarning("transfer.unresolved"), { operation: after.id, because })
  yield* logContradiction(operation, after)
  yield* hearBeside(fence, after, beside, (one, said) => hearReplaced(one, said, transferContradiction))
  if (repriced !== undefined && operation.details.repriced_because === undefined)
    yield* Effect.annotateLogs(Effect.logWarning("transfer.repriced"), { operation: after.id, because: repriced })
})
