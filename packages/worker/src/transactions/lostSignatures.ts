import { signedBefore } from "@bursar/core/payout/holdSignedBefore"
import { isGivenForAll } from "@bursar/core/payout/isGivenForAll"
import { Payout } from "@bursar/core/payout/Payout"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { isTriedAgain } from "@bursar/core/payout/payoutRule"
import { signedBeside } from "@bursar/core/payout/signedUnstored"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { operationsOf, payable } from "@bursar/core/transaction/OutboundTransaction"
import { paidBy } from "@bursar/core/transaction/paidBy"
import type { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Effect, Result } from "effect"
import { delaySending } from "./delaySending.ts"
import { lostFor, ownLost, type Recovered, recoverSigned } from "./recoverSigned.ts"
import type { OwnedTransaction, Send } from "./Send.ts"
import { attemptsOf, operationsBy, reread } from "./stored.ts"

/**
 * Why nothing is signed in the place of an attempt that leaves out what was cancelled: the signer has signed for that what a replacement does not exclude,
 * which may have paid it. Undefined where it has not; asked only where something was cancelled.
 */
export const signedElsewhere = Effect.fnUntraced(function* (
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
 * What else was signed, and lost, to be paid by an outbound transaction that spends outputs: before the database was restored others may have been cancelled
 * than since.
 */
const leftOtherwise = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction) {
  const { tenantId, transaction } = owned
  if (transaction.guard._tag !== "Utxos" || transaction.purpose !== "PAYOUT") return []
  const lost = yield* lostFor(send, owned, yield* operationsBy(tenantId, operationsOf(transaction)))
  return lost.flatMap(({ guardToo, moves, shares }) => {
    const usesGuard = shares !== "requests" || guardToo === true
    return usesGuard && moves !== undefined ? paidBy(transaction, moves) : []
  })
})

/**
 * Takes over what was signed for an outbound transaction and got lost, also where some of what it paid was cancelled since: then it was signed to pay
 * what an earlier attempt pays, or what was left when others were cancelled. Where nothing is taken over, what is found is said of all that was ever to be paid.
 */
export const recoverCancelled = Effect.fnUntraced(function* (send: Send, owned: OwnedTransaction, isUsedUp: boolean) {
  const { tenantId, transaction } = owned
  const attempts = yield* attemptsOf(owned)
  // payouts are cancelled one after the other: something may have been signed, and lost, between any two
  const between = transaction.cancelled.map((_, count) => {
    const before = new Set(transaction.cancelled.slice(0, count))
    return operationsOf(transaction).filter((operation) => !before.has(operation))
  })
  // what is cancelled stays so: what pays more was signed earlier
  const sets = new Map(
    [...between, ...attempts.map(({ pays }) => pays), payable(transaction), ...(yield* leftOtherwise(send, owned))].map(
      (pays) => [pays.join(), pays]
    )
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

/** What operators gave as evidence for the payouts of an outbound transaction, as it is stored now. */
const evidenceFor = Effect.fnUntraced(function* ({ tenantId, transaction }: OwnedTransaction) {
  const queries = yield* Queries
  const all = yield* Effect.forEach(operationsOf(transaction), (id) => queries.records(tenantId, PayoutEvidence, id))
  return all.flat()
})

/**
 * Looks whether the signer has signed what took effect instead of an outbound transaction, or still can, and of which nothing is stored since the database
 * was restored: a payout that it pays must not fail. Returns whether the end has to wait: for what was taken over to be asked about, for the signer, or for evidence.
 */
export const mayBeOwn = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  { by, reason }: Pick<Invalidated, "by" | "reason">
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
  const evidence = yield* evidenceFor(owned)
  const isForNobody = found.by.shares === "same" && operationsOf(owned.transaction).length === 0
  const missing = suspects.filter((hash) => isForNobody || !isGivenForAll(owned.transaction, evidence, hash))
  if (missing.length === 0) return false
  yield* delaySending(
    send,
    owned,
    `The signer has signed ${missing.join(" and ")}, which is not stored here and may be what took effect instead: look it up, and give it as evidence for each payout.`
  )
  return true
})

/** Whether the signer is asked before an end without effect: where something of it was replaced, or would fail because it has expired. */
export const asksSigner = Effect.fnUntraced(function* (
  { tenantId, transaction }: OwnedTransaction,
  { reason }: Invalidated
) {
  if (reason === "replaced_on_chain") return true
  if (transaction.purpose !== "PAYOUT") return false
  const queries = yield* Queries
  const payouts = yield* Effect.forEach(operationsOf(transaction), (id) => queries.record(tenantId, Payout, id))
  return payouts.some((payout) => payout !== undefined && !isTriedAgain(transaction, payout))
})
