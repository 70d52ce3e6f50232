import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { asksForEvidence, recordStatus } from "@bursar/core/transaction/recordStatus"
import { signedBefore } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import { isTriedAgain } from "@bursar/core/payout/payoutRule"
import { signedBeside } from "@bursar/core/payout/signedUnstored"
import { purposes } from "@bursar/core/purposes"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import {
  isIdle,
  operationsOf,
  OutboundTransaction,
  payable,
  receiverKey
} from "@bursar/core/transaction/OutboundTransaction"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect, Result } from "effect"
import { delaySending } from "./delaySending.ts"
import { giveUpRefused, giveUpUnbuildable, giveUpUnread, giveUpUnwanted } from "./giveUp.ts"
import { lookUpEvidence } from "./lookUpEvidence.ts"
import { objectionTo, objectionToReplacement } from "./objectionTo.ts"
import { orderOf } from "./orderOf.ts"
import { ownLost, type Recovered, recoverSigned } from "./recoverSigned.ts"
import { nextCheckAt, type OwnedTransaction, type Send, unresolvedAfter } from "./Send.ts"
import { signOrder } from "./signOrder.ts"
import { statusOf } from "./statusOf.ts"
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

/** Operations as they are stored now. */
const operationsBy = Effect.fnUntraced(function* (tenantId: TenantId, ids: ReadonlyArray<string>) {
  const queries = yield* Queries
  const found = yield* Effect.forEach(ids, (id) => queries.operation(tenantId, id))
  return found.filter((operation) => operation !== undefined)
})

/** The operations that an outbound transaction is to pay, as they are stored now. */
const operationsToPay = ({ transaction, tenantId }: OwnedTransaction) => operationsBy(tenantId, payable(transaction))

/** Builds, signs and stores the first transaction of an outbound transaction. Null where there is none, or the outbound transaction has moved on. */
const begin = Effect.fn("send.begin")(function* (send: Send, owned: OwnedTransaction) {
  const { sender } = send
  const operations = yield* operationsToPay(owned)
  const built = yield* Effect.result(
    sender.build(orderOf(sender, owned.transaction, yield* Clock.currentTimeMillis, null))
  )
  if (Result.isFailure(built)) {
    const { failure } = built
    if (failure._tag === "CannotBuild") return yield* giveUpUnbuildable(send, { owned, operations }, failure)
    return yield* giveUpUnread(send, { owned, operations }, failure)
  }
  const signed = yield* Effect.result(signOrder(send, owned, { operations, unsigned: built.success, replaces: null }))
  if (Result.isSuccess(signed)) return signed.success
  const { failure } = signed
  if (failure._tag === "MayNotLeave") return yield* giveUpUnwanted(send, { owned, operations }, failure.objection)
  if (failure._tag === "SigningRefused") return yield* giveUpRefused(send, { owned, operations }, failure)
  if (failure._tag !== "VaultError") return yield* failure
  yield* delaySending(send, owned, failure.message)
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
  if (paysCancelled(transaction, newest) || movesGivenUp(transaction, newest)) return true
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
 * Why nothing is signed in the place of an attempt that leaves out what was cancelled: the signer has signed for that what a replacement does not exclude,
 * which may have paid it. Undefined where it has not; asked only where something was cancelled.
 */
const signedElsewhere = Effect.fnUntraced(function* (
  { tenantId, transaction }: OwnedTransaction,
  { pays }: TransactionAttempt
) {
  const leftOut = pays.filter((id) => !payable(transaction).includes(id))
  const operations = yield* operationsBy(tenantId, leftOut)
  const signed = yield* Effect.forEach(operations, (operation) => signedBeside(operation, transaction))
  const hashes = [...new Set(signed.flat().map(({ hash }) => hash))]
  return hashes.length === 0 ? undefined : signedBefore(hashes).detail
})

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
      ? yield* objectionTo(send, owned, operations)
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
  if (attempt !== null && stored !== undefined && !paysCancelled(stored.transaction, attempt))
    yield* broadcast(send, stored, attempt)
  return true
})

/**
 * Takes over what was signed for an outbound transaction and got lost, also where some of what it paid was cancelled since: then it was signed to pay
 * what an earlier attempt pays. Where nothing is taken over, what is found is said of all that was ever to be paid.
 */
const recoverCancelled = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction, isUsedUp: boolean) {
  const { tenantId, transaction } = owned
  const attempts = yield* attemptsOf(owned)
  // payouts are cancelled one after the other: something may have been signed, and lost, between any two
  const between = transaction.cancelled.map((_, count) => {
    const before = new Set(transaction.cancelled.slice(0, count))
    return operationsOf(transaction).filter((operation) => !before.has(operation))
  })
  // what is cancelled stays so: what pays more was signed earlier
  const sets = new Map(
    [...between, ...attempts.map(({ pays }) => pays), payable(transaction)].map((pays) => [pays.length, pays])
  )
  const groups = yield* Effect.forEach(
    [...sets.values()].toSorted((one, other) => other.length - one.length),
    (ids) => operationsBy(tenantId, ids)
  )
  const own =
    groups.length === 1 ? [] : (yield* Effect.forEach(groups, (operations) => ownLost(send, owned, operations))).flat()
  let found: Recovered = { _tag: "Nothing" }
  for (const operations of groups) {
    const one: Recovered = yield* recoverSigned(send, (yield* reread(owned)) ?? owned, operations, isUsedUp, own)
    if (one._tag === "Stale") return one
    if (one._tag === "Stored" || found._tag === "Nothing") found = one
  }
  return found
})

/** What the chain says of a transaction that can never take effect. */
type Invalidated = Extract<TransactionStatus, { readonly _tag: "Invalidated" }>

/** How many payouts of a transaction another one can be evidence for, those that were cancelled too: of what pays one receiver in the same way it is one. */
const receiversOf = ({ payments }: OutboundTransaction): number =>
  new Set(payments.filter(({ operationId }) => operationId !== null).map(receiverKey)).size

/**
 * Looks whether the signer has signed what took effect instead of an outbound transaction, or still can, and of which nothing is stored since the database
 * was restored: a payout that it pays must not fail. Returns whether the end has to wait: for what was taken over to be asked about, for the signer, or for evidence.
 */
const mayBeOwn = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  { by, reason }: Pick<Invalidated, "by" | "reason">,
  evidence: ReadonlyArray<string>
) {
  const recovered = yield* Effect.result(recoverCancelled(send, owned, true))
  if (Result.isFailure(recovered)) {
    if (recovered.failure._tag !== "VaultError") return yield* recovered.failure
    yield* delaySending(send, owned, recovered.failure.message)
    return true
  }
  const found = recovered.success
  if (found._tag === "Stale") {
    yield* delaySending(send, owned, "It has moved on while the signer was asked what it has signed for it.")
    return true
  }
  if (found._tag !== "Other") return found._tag === "Stored"
  // what has expired was not replaced: what pays none of its payouts says nothing of them
  const possible = reason === "expired_unsent" ? found.answering : found.hashes
  const suspects = by !== null && possible.includes(by) ? [by] : possible
  // the chain was asked about each of them, for each payout: what is proven is paid by it, and nothing else is. Of what
  // pays none nothing can be given, and nobody is paid twice; but where what was given up may have been moved, a person has to look
  const needed = Math.max(found.by.shares === "same" ? 1 : 0, receiversOf(owned.transaction))
  const missing = suspects.filter((hash) => evidence.filter((one) => one === hash).length < needed)
  if (missing.length === 0) return false
  yield* delaySending(
    send,
    owned,
    `The signer has signed ${missing.join(" and ")}, which is not stored here and may be what took effect instead: look it up, and give it as evidence for each payout.`
  )
  return true
})

/** Whether the signer is asked before an end without effect: where something of it was replaced, or would fail because it has expired. */
const asksSigner = Effect.fnUntraced(function* ({ tenantId, transaction }: OwnedTransaction, { reason }: Invalidated) {
  if (reason === "replaced_on_chain") return true
  if (transaction.purpose !== "PAYOUT") return false
  const queries = yield* Queries
  const payouts = yield* Effect.forEach(operationsOf(transaction), (id) => queries.record(tenantId, Payout, id))
  return payouts.some((payout) => payout !== undefined && !isTriedAgain(transaction, payout))
})

/** Takes over a replacement that was signed before and got lost. Returns whether there was one. */
const takeOver = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction) {
  const recovered = yield* Effect.catchTag(recoverCancelled(send, owned, false), "VaultError", () =>
    Effect.succeed({ _tag: "Stale" } as const)
  )
  if (recovered._tag !== "Stored") return false
  const current = yield* reread(owned)
  if (current !== undefined && !paysCancelled(current.transaction, recovered.newest))
    yield* broadcast(send, current, recovered.newest)
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

/** What is known where the node's word cannot be read. */
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
      const out = { _tag: "Pending", known: false } as const
      yield* submitSend(
        send,
        tenantId,
        recordStatus({ ...facts, status: out, nextAt: now, unresolvedAfterMs: Infinity })
      )
      return undefined
    }
    if (yield* mayBeOwn(send, owned, status.success, evidence)) return undefined
  }
  const unfinished = yield* submitSend(
    send,
    tenantId,
    recordStatus({ ...facts, status: status.success, nextAt: nextCheckAt(send, now, transaction) })
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
  // what was given up, or cancelled, is not asked for any more
  if (movesGivenUp(current.transaction, newest) || paysCancelled(current.transaction, newest)) return undefined
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
      ? signed.replaces !== null && paysCancelled((yield* reread(owned))?.transaction ?? owned.transaction, signed)
      : paysCancelled(owned.transaction, signed) || (yield* isHeldBack(send, owned)))
  if (signed === null || (!isUnwanted && (yield* broadcast(send, owned, signed)))) return
  // it may be that an answer was lost, and the chain has it already
  const current = yield* reread(owned)
  if (current !== undefined && current.transaction.phase !== "RESERVED" && current.transaction.phase !== "FINAL") {
    yield* trackInclusion(send, current)
  }
})
