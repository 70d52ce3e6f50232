import { rulingOf } from "@bursar/core/grant/leavingByGrants"
import { askLeaving } from "@bursar/core/payout/mayPayoutLeave"
import type { Operation } from "@bursar/core/operation/Operation"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { asksForEvidence, recordStatus } from "@bursar/core/transaction/recordStatus"
import { purposes } from "@bursar/core/purposes"
import { delayTransaction } from "@bursar/core/transaction/delayTransaction"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { payable, OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { CannotBuild, TransactionStatus } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect, Result } from "effect"
import { lookUpEvidence } from "./lookUpEvidence.ts"
import { orderOf } from "./orderOf.ts"
import { nextCheckAt, type OwnedTransaction, retryAt, type Send, unresolvedAfter } from "./Send.ts"
import { signOrder } from "./signOrder.ts"
import { submitSend } from "./submitSend.ts"

/** An outbound transaction as it is stored now. */
const reread = Effect.fnUntraced(function* ({ transaction, tenantId }: OwnedTransaction) {
  const queries = yield* Queries
  const now = yield* queries.record(tenantId, OutboundTransaction, transaction.id)
  return now === undefined ? undefined : ({ tenantId, transaction: now } satisfies OwnedTransaction)
})

/** What was signed for an outbound transaction, in order. */
const attemptsOf = Effect.fnUntraced(function* ({ transaction, tenantId }: OwnedTransaction) {
  const queries = yield* Queries
  const all = yield* queries.records(tenantId, TransactionAttempt, transaction.id)
  return all.toSorted((one, other) => transaction.hashes.indexOf(one.hash) - transaction.hashes.indexOf(other.hash))
})

/** Notes what is in the way of an outbound transaction; the more often, the longer until the next try. */
const delay = Effect.fn("send.delay")(function* (
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

/** What becomes of an outbound transaction that cannot be built as it is; nothing of it was signed. */
const unbuildable = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  { detail, reason }: Pick<CannotBuild, "detail"> & { readonly reason: CannotBuild["reason"] | "signing_refused" }
) {
  const { transaction, tenantId } = owned
  const { currencies } = send
  const count = transaction.payments.length
  // a number whose payment was given up has to be used up all the same, and fees come down again
  const nothing = count === 0 && transaction.trustlines.length === 0
  if (nothing || reason === "fee_capped") return yield* delay(send, owned, detail)
  const now = yield* Clock.currentTimeMillis
  const outcome =
    reason === "destination_invalid" && count === 1
      ? ({ _tag: "Fail", reason } as const)
      : ({
          _tag: "Requeue",
          reason,
          detail,
          // which of several is to blame nobody knows: each is tried by itself at once
          at: count > 1 ? now : retryAt(send, now, 1),
          alone: count > 1
        } as const)
  yield* submitSend(send, tenantId, releaseTransaction({ transaction, outcome, currencies, purposes }))
  yield* Effect.logWarning("transaction.build_failed").pipe(
    Effect.annotateLogs({ tenant: tenantId, transaction: transaction.id, reason, detail })
  )
})

/** The operations that an outbound transaction is to pay, as they are stored now. */
const operationsToPay = Effect.fnUntraced(function* ({ transaction, tenantId }: OwnedTransaction) {
  const queries = yield* Queries
  const found = yield* Effect.forEach(payable(transaction), (id) => queries.operation(tenantId, id))
  return found.filter((operation) => operation !== undefined)
})

/**
 * Takes an outbound transaction back of which nothing was signed, because one of its payouts may not leave any more. Those that may are put into
 * another at once.
 */
const releaseUnwanted = Effect.fnUntraced(function* (
  send: Send,
  { transaction, tenantId }: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  const objections = yield* submitSend(send, tenantId, askLeaving(operations, send.traits, yield* rulingOf(tenantId)))
  const objection = objections?.values().next().value
  if (objection === undefined) return false
  const { detail, reason } = objection
  const at = yield* Clock.currentTimeMillis
  const outcome = { _tag: "Requeue", reason, detail, at, alone: false } as const
  yield* submitSend(send, tenantId, releaseTransaction({ transaction, outcome, currencies: send.currencies, purposes }))
  yield* Effect.logWarning("transaction.withdrawn").pipe(
    Effect.annotateLogs({ tenant: tenantId, transaction: transaction.id, reason, detail })
  )
  return true
})

/** Builds, signs and stores the first transaction of an outbound transaction. Null where there is none, or the outbound transaction has moved on. */
const begin = Effect.fn("send.begin")(function* (send: Send, owned: OwnedTransaction) {
  const { sender } = send
  const built = yield* Effect.result(
    sender.build(orderOf(sender, owned.transaction, yield* Clock.currentTimeMillis, null))
  )
  if (Result.isFailure(built)) {
    const { failure } = built
    yield* failure._tag === "CannotBuild" ? unbuildable(send, owned, failure) : delay(send, owned, failure.message)
    return null
  }
  const operations = yield* operationsToPay(owned)
  if (yield* releaseUnwanted(send, owned, operations)) return null
  const signed = yield* Effect.result(signOrder(send, owned, { operations, unsigned: built.success, replaces: null }))
  if (Result.isSuccess(signed)) return signed.success
  const { failure } = signed
  if (failure._tag === "SigningRefused") {
    yield* unbuildable(send, owned, { reason: "signing_refused", detail: failure.reason })
    return null
  }
  if (failure._tag !== "VaultError") return yield* failure
  yield* delay(send, owned, failure.message)
  return null
})

/** Gives a node the stored bytes. Returns whether it has, or may have, them. */
const broadcast = Effect.fn("send.broadcast")(function* (
  send: Send,
  { transaction, tenantId }: OwnedTransaction,
  { hash, raw }: TransactionAttempt
) {
  const answer = yield* send.sender.broadcast(raw)
  const now = yield* Clock.currentTimeMillis
  const nextAt = now + (answer._tag === "Rejected" ? send.limits.retryFirstMs : send.limits.checkFirstMs)
  yield* submitSend(send, tenantId, recordBroadcast({ transaction, hash, answer, nextAt, purposes }))
  if (answer._tag !== "Accepted") {
    yield* Effect.logInfo(
      answer._tag === "Rejected" ? "transaction.broadcast_rejected" : "transaction.broadcast_unknown"
    ).pipe(Effect.annotateLogs({ tenant: tenantId, transaction: transaction.id, txHash: hash, detail: answer.detail }))
  }
  return answer._tag !== "Rejected"
})

/** Whether an attempt still pays something that was cancelled since. */
const paysCancelled = (transaction: OutboundTransaction, { pays }: TransactionAttempt): boolean =>
  pays.length !== payable(transaction).length

/**
 * Whether something else than the newest transaction is wanted: one without what was cancelled, or one that bids more because it
 * takes long or an operator asks for it.
 */
const wantsReplacement = (
  { limits, sender }: Send,
  transaction: OutboundTransaction,
  newest: TransactionAttempt,
  now: number
): boolean => {
  if (transaction.guard._tag === "Expiry") return false
  if (transaction.asked === "BUMP") return true
  if (sender.replaceAfterMs === null) return false
  if (transaction.hashes.length > limits.replacementsMax) return false
  if (paysCancelled(transaction, newest)) return true
  return now - newest.signedAt >= sender.replaceAfterMs
}

/** Whether a transaction that waits is to be given to a node again. What no node has taken yet is given by the next round anyway. */
const wantsAgain = (
  { limits, sender }: Send,
  { asked, lastSentAt }: OutboundTransaction,
  { known }: Extract<TransactionStatus, { readonly _tag: "Pending" }>,
  now: number
): boolean => {
  // a node that does not know it may have lost it, or never have had it
  const patience = known ? sender.rebroadcastAfterMs : Math.min(limits.retryFirstMs, sender.rebroadcastAfterMs)
  return lastSentAt !== null && (asked === "REBROADCAST" || now - lastSentAt >= patience)
}

/**
 * Signs and stores a transaction that replaces the newest attempt of an outbound transaction, under the same replay guard. False where none
 * can be built or signed now: the newest attempt is all that there is then.
 */
const replace = Effect.fn("send.replace")(function* (send: Send, owned: OwnedTransaction, newest: TransactionAttempt) {
  const { sender } = send
  const order = orderOf(sender, owned.transaction, yield* Clock.currentTimeMillis, newest.raw)
  const built = yield* Effect.result(sender.build(order))
  if (Result.isFailure(built)) {
    const { failure } = built
    yield* delay(send, owned, failure._tag === "CannotBuild" ? failure.detail : failure.message)
    return false
  }
  const operations = yield* operationsToPay(owned)
  const signed = yield* Effect.result(
    signOrder(send, owned, { operations, unsigned: built.success, replaces: newest.hash })
  )
  if (Result.isFailure(signed)) {
    const { failure } = signed
    if (failure._tag !== "SigningRefused" && failure._tag !== "VaultError") return yield* failure
    yield* delay(send, owned, failure.message)
    return false
  }
  const stored = yield* reread(owned)
  if (signed.success !== null && stored !== undefined) yield* broadcast(send, stored, signed.success)
  return true
})

/** Whether the chain is to be asked about what operators know: where an outbound transaction is at its end without a payment, or comes to none. */
const needsEvidence = (
  { limits }: Send,
  { reservedAt, sentAt }: OutboundTransaction,
  status: TransactionStatus,
  now: number
): boolean =>
  asksForEvidence(status) || (status._tag === "Pending" && now - (sentAt ?? reservedAt) >= limits.checkLongestMs)

/** Asks the chain what became of an outbound transaction, and draws what follows; sends again, or bids more, where it takes long. */
const trackInclusion = Effect.fn("send.follow")(function* (send: Send, owned: OwnedTransaction) {
  const { currencies, sender } = send
  const { transaction, tenantId } = owned
  const attempts = yield* attemptsOf(owned)
  const status = yield* Effect.result(sender.status({ from: transaction.from, guard: transaction.guard }, attempts))
  if (Result.isFailure(status)) return yield* delay(send, owned, status.failure.message)
  const now = yield* Clock.currentTimeMillis
  const evidence = needsEvidence(send, transaction, status.success, now) ? yield* lookUpEvidence(send, owned) : []
  const unfinished = yield* submitSend(
    send,
    tenantId,
    recordStatus({
      transaction,
      asked: attempts.map(({ hash }) => hash),
      status: status.success,
      evidence,
      nextAt: nextCheckAt(send, now, transaction),
      unresolvedAfterMs: unresolvedAfter(send),
      currencies,
      purposes
    })
  )
  const newest = attempts.at(-1)
  if (unfinished === null || status.success._tag !== "Pending" || newest === undefined) return undefined
  const pending = status.success
  // most only wait: those are not read again
  const isWanted = (one: OutboundTransaction) =>
    wantsReplacement(send, one, newest, now) || wantsAgain(send, one, pending, now)
  if (unfinished.hashes.at(-1) !== newest.hash || !isWanted(unfinished)) return undefined
  const current = yield* reread(owned)
  if (current === undefined || current.transaction.hashes.at(-1) !== newest.hash) return undefined
  if (wantsReplacement(send, current.transaction, newest, now)) {
    // without a replacement the same bytes are all that can still be included, unless they pay what was cancelled
    if ((yield* replace(send, current, newest)) || paysCancelled(current.transaction, newest)) return undefined
  }
  if (wantsAgain(send, current.transaction, pending, now)) yield* broadcast(send, current, newest)
  return undefined
})

/**
 * Brings an outbound transaction as far as it comes now, from wherever it stands: builds and signs it once, stores what was signed, gives the stored
 * bytes to a node, and asks the chain what became of them. Whatever is interrupted goes on from what is stored.
 */
export const advanceTransaction = Effect.fn("send.drive")(function* (send: Send, owned: OwnedTransaction) {
  if (owned.transaction.phase !== "RESERVED" && owned.transaction.phase !== "SIGNED") {
    if (owned.transaction.phase !== "FINAL") yield* trackInclusion(send, owned)
    return
  }
  const isNew = owned.transaction.phase === "RESERVED"
  const signed = isNew ? yield* begin(send, owned) : ((yield* attemptsOf(owned)).at(-1) ?? null)
  // what was just stored is given away as it is: whatever the outbound transaction has become since, these bytes may be seen
  if (signed === null || (yield* broadcast(send, owned, signed))) return
  // it may be that an answer was lost, and the chain has it already
  const current = yield* reread(owned)
  if (current !== undefined && current.transaction.phase !== "RESERVED" && current.transaction.phase !== "FINAL") {
    yield* trackInclusion(send, current)
  }
})
