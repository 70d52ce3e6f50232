import { purposes } from "@bursar/core/purposes"
import { delayTransaction } from "@bursar/core/transaction/delayTransaction"
import { Clock, Effect } from "effect"
import { type OwnedTransaction, type Send, unresolvedAfter } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** Notes what is in the way of an outbound transaction; the more often, the longer until the next try. */
export const delaySending = Effect.fn("send.delay")(function* (
  send: Send,
  { transaction, tenantId }: OwnedTransaction,
  problem: string
) {
  const { currencies, limits } = send
  const now = yield* Clock.currentTimeMillis
  const waited = now - (transaction.lastSentAt ?? transaction.signedAt ?? transaction.reservedAt)
  const nextAt = now + Math.min(limits.retryLongestMs, Math.max(limits.retryFirstMs, Math.floor(waited / 4)))
  const unresolvedAfterMs = unresolvedAfter(send)
  yield* submitSend(
    send,
    tenantId,
    delayTransaction({ transaction, problem, nextAt, unresolvedAfterMs, currencies, purposes })
  )
  if (problem !== transaction.problem) {
    yield* Effect.logWarning("transaction.delayed").pipe(
      Effect.annotateLogs({ tenant: tenantId, transaction: transaction.id, problem })
    )
  }
})
