import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { asksForEvidence, recordStatus } from "@bursar/core/transaction/recordStatus"
import { purposes } from "@bursar/core/purposes"
import type { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { isIdle, operationsOf, type OutboundTransaction, payable } from "@bursar/core/transaction/OutboundTransaction"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { Clock, Effect, Result } from "effect"
import { delaySending } from "./delaySending.ts"
import { giveUpRefused, giveUpStuck, giveUpUnbuildable, giveUpUnread, giveUpUnwanted, isStuckSweep } from "./giveUp.ts"
import { lookUpEvidence } from "./lookUpEvidence.ts"
import { asksSigner, mayBeOwn, recoverCancelled, signedElsewhere } from "./lostSignatures.ts"
import { evidenceAgainst, objectionTo, objectionToReplacement } from "./objectionTo.ts"
import { orderOf } from "./orderOf.ts"
import { nextCheckAt, type OwnedTransaction, type Send, unresolvedAfter } from "./Send.ts"
import { signOrder } from "./signOrder.ts"
import { statusOf } from "./statusOf.ts"
import { attemptsOf, operationsToPay, reread } from "./stored.ts"
import { submitSend } from "./submitSend.ts"
import { tellProven } from "./tellProven.ts"

/** Builds, signs and stores the first transaction of an outbound transaction. Null where there is none, or the outbound transaction has moved on. */
const begin = Effect.fn("send.begin")(function* (send: Send, owned: OwnedTransaction) {
  const { sender } = send
  const operations = yield* operationsToPay(owned)
  const built = yield* Effect.result(
    sender.build(orderOf(sender, owned.transaction, yield* Clock.currentTimeMillis, null))
  )
  if (Result.isFailure(built)) {
    const { failure } = built
    // however long it cannot be built: evidence is weighed only once the payout is in no transaction
    const evidence = yield* evidenceAgainst(send, owned, operations)
    if (evidence !== undefined) return yield* giveUpUnwanted(send, { owned, operations }, evidence)
    if (failure._tag === "CannotBuild") return yield* giveUpUnbuildable(send, { owned, operations }, failure)
    return yield* giveUpUnread(send, { owned, operations }, failure)
  }
  const { problem, signingUntil } = owned.transaction
  // it has been asked for, and nobody answered: asked again and again, it would never be known that nothing is signed
  if (signingUntil !== null && isStuckSweep(send, owned, yield* Clock.currentTimeMillis))
    return yield* giveUpStuck(send, { owned, operations }, problem ?? "The signer did not answer.")
  const signed = yield* Effect.result(signOrder(send, owned, { operations, unsigned: built.success, replaces: null }))
  if (Result.isSuccess(signed)) return signed.success
  const { failure } = signed
  if (failure._tag === "MayNotLeave") return yield* giveUpUnwanted(send, { owned, operations }, failure.objection)
  if (failure._tag === "SigningRefused") return yield* giveUpRefused(send, { owned, operations }, failure)
  if (failure._tag !== "VaultError") return yield* failure
  yield* delaySending(send, owned, failure.message)
  return null
})

/**
 * Why stored bytes are not given to a node: payouts would leave by them for the first time, and evidence says that one may be paid by something else. It may
 * have come at any time until now. What only expires is not given again either: nothing waits for it but those payouts.
 */
const paidElsewhere = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction, { pays }: TransactionAttempt) {
  const { guard, purpose, sentAt } = owned.transaction
  if (purpose !== "PAYOUT" || (sentAt !== null && guard._tag !== "Expiry")) return undefined
  return yield* evidenceAgainst(
    send,
    owned,
    pays.map((id) => ({ id }))
  )
})

/** Gives a node the stored bytes, unless what they pay may be paid already. Returns whether it has, or may have, them. */
const broadcast = Effect.fn("send.broadcast")(function* (
  send: Send,
  owned: OwnedTransaction,
  attempt: TransactionAttempt
) {
  const { tenantId, transaction } = owned
  const { hash, raw } = attempt
  const paid = yield* paidElsewhere(send, owned, attempt)
  if (paid !== undefined) {
    yield* delaySending(send, owned, paid.detail)
    return false
  }
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

/** Whether an attempt pays others than are to be paid now: what was cancelled since, or without one that was cancelled before the database was restored. */
const paysOthers = (transaction: OutboundTransaction, { pays }: TransactionAttempt): boolean =>
  pays.length !== payable(transaction).length || pays.some((id) => transaction.cancelled.includes(id))

/** Whether an attempt still moves what was given up since. */
const movesGivenUp = (transaction: OutboundTransaction, { hash }: TransactionAttempt): boolean =>
  transaction.givenUpAfter !== null && !isIdle(transaction, hash)

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
  // UTXOs of what was given up are free for others
  if (transaction.givenUpAfter !== null && transaction.guard._tag === "Utxos") return false
  if (transaction.asked === "BUMP") return true
  if (sender.replaceAfterMs === null) return false
  // however often it was replaced: what is not wanted any more must not be what is left
  if (paysOthers(transaction, newest) || movesGivenUp(transaction, newest)) return true
  if (transaction.hashes.length > limits.replacementsMax) return false
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
  const operations = yield* operationsToPay(owned)
  // what was never sent may have been stored only to be replaced: then this is the first that the payouts leave by
  const objection =
    owned.transaction.sentAt === null
      ? ((yield* evidenceAgainst(send, owned, operations)) ?? (yield* objectionTo(send, owned, operations)))
      : yield* objectionToReplacement(send, owned, operations)
  if (objection !== undefined) {
    yield* delaySending(send, owned, objection.detail)
    return false
  }
  const obstacle = yield* Effect.catchTag(signedElsewhere(owned, newest), "VaultError", ({ message }) =>
    Effect.succeed(message)
  )
  if (obstacle !== undefined) {
    yield* delaySending(send, owned, obstacle)
    return false
  }
  const order = orderOf(sender, owned.transaction, yield* Clock.currentTimeMillis, newest.raw)
  const built = yield* Effect.result(sender.build(order))
  if (Result.isFailure(built)) {
    const { failure } = built
    yield* delaySending(send, owned, failure._tag === "CannotBuild" ? failure.detail : failure.message)
    return false
  }
  const signed = yield* Effect.result(
    signOrder(send, owned, { operations, unsigned: built.success, replaces: newest.hash })
  )
  if (Result.isFailure(signed)) {
    const { failure } = signed
    if (failure._tag === "StorageError" || failure._tag === "Fenced") return yield* failure
    if (failure._tag === "SigningRefused" && (yield* takeOver(send, owned))) return true
    yield* delaySending(send, owned, failure.message)
    return false
  }
  const [stored, attempt] = [yield* reread(owned), signed.success]
  // what was cancelled while it was signed is left out by the next one
  if (attempt !== null && stored !== undefined && !paysOthers(stored.transaction, attempt))
    yield* broadcast(send, stored, attempt)
  return true
})

/** Takes over a replacement that was signed before and got lost. Returns whether there was one. */
const takeOver = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction) {
  const recovered = yield* Effect.catchTag(recoverCancelled(send, owned, false), "VaultError", () =>
    Effect.succeed({ _tag: "Stale" } as const)
  )
  if (recovered._tag !== "Stored") return false
  const current = yield* reread(owned)
  if (current !== undefined && !paysOthers(current.transaction, recovered.newest))
    yield* broadcast(send, current, recovered.newest)
  return true
})

/** Whether the chain is to be asked about what operators know: where an outbound transaction is at its end without one of its payments, or comes to none. */
const needsEvidence = (
  { limits }: Send,
  transaction: OutboundTransaction,
  status: TransactionStatus,
  now: number
): boolean =>
  asksForEvidence(status, transaction) ||
  (status._tag === "Pending" && now - (transaction.sentAt ?? transaction.reservedAt) >= limits.checkLongestMs)

/** What is known of a transaction of which nobody says anything. */
const unknown: TransactionStatus = { _tag: "Pending", known: false }

/** Whether the payouts of a transaction that no node was seen to take may not leave now: whoever stored it has died before giving it away. */
const isHeldBack = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction) {
  if (owned.transaction.purpose !== "PAYOUT" || owned.transaction.sentAt !== null) return false
  const objection = yield* objectionTo(send, owned, yield* operationsToPay(owned))
  if (objection !== undefined) yield* delaySending(send, owned, objection.detail)
  return objection !== undefined
})

/** Asks the chain what became of an outbound transaction, and draws what follows; sends again, or bids more, where it takes long. */
const trackInclusion = Effect.fn("send.follow")(function* (send: Send, owned: OwnedTransaction) {
  const { currencies } = send
  const { transaction, tenantId } = owned
  const attempts = yield* attemptsOf(owned)
  const status = yield* Effect.result(statusOf(send.sender, owned, attempts))
  if (Result.isFailure(status)) {
    const { failure } = status
    if (failure._tag !== "ChainError") return yield* failure
    // what a person has seen is read all the same: it ends nothing yet, and says what there is to find out
    if (needsEvidence(send, transaction, unknown, yield* Clock.currentTimeMillis)) yield* lookUpEvidence(send, owned)
    return yield* delaySending(send, owned, failure.message)
  }
  const now = yield* Clock.currentTimeMillis
  const evidence = needsEvidence(send, transaction, status.success, now) ? yield* lookUpEvidence(send, owned) : []
  const facts = {
    transaction,
    asked: attempts.map(({ hash }) => hash),
    evidence,
    unresolvedAfterMs: unresolvedAfter(send),
    currencies,
    purposes
  }
  // what is tried again is not asked about here: the signer refuses what it has signed for before
  if (status.success._tag === "Invalidated" && (yield* asksSigner(owned, status.success))) {
    if (transaction.phase === "INCLUDED") {
      // it is out of its block first, which is no doubt yet: only then what the signer alone remembers can be stored
      yield* submitSend(
        send,
        tenantId,
        recordStatus({ ...facts, status: unknown, nextAt: now, unresolvedAfterMs: Infinity })
      )
      return undefined
    }
    if (yield* mayBeOwn(send, owned, status.success)) return undefined
  }
  const unfinished = yield* submitSend(
    send,
    tenantId,
    recordStatus({ ...facts, status: status.success, nextAt: nextCheckAt(send, now, transaction) })
  )
  const newest = attempts.at(-1)
  if (unfinished === null) yield* tellProven(send, tenantId, { asked: evidence, payouts: operationsOf(transaction) })
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
    if ((yield* replace(send, current, newest)) || paysOthers(current.transaction, newest)) return undefined
  }
  // what was given up, or cancelled, is not asked for any more
  if (movesGivenUp(current.transaction, newest) || paysOthers(current.transaction, newest)) return undefined
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
  // what pays what was cancelled is replaced, and not given away; a first one that was just stored is, whatever the outbound transaction has become since
  const isUnwanted =
    signed !== null &&
    (isNew
      ? signed.replaces !== null && paysOthers((yield* reread(owned))?.transaction ?? owned.transaction, signed)
      : paysOthers(owned.transaction, signed) || (yield* isHeldBack(send, owned)))
  if (signed === null || (!isUnwanted && (yield* broadcast(send, owned, signed)))) return
  // it may be that an answer was lost, and the chain has it already
  const current = yield* reread(owned)
  if (current !== undefined && current.transaction.phase !== "RESERVED" && current.transaction.phase !== "FINAL") {
    yield* trackInclusion(send, current)
  }
})
