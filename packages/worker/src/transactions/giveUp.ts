import type { Timestamp } from "@bursar/core/base/Timestamp"
import { backoffMs } from "@bursar/core/engine/Job"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Objection } from "@bursar/core/operation/waits"
import { purposes } from "@bursar/core/purposes"
import { signedBefore } from "@bursar/core/payout/holdSignedBefore"
import type { PayoutWaits } from "@bursar/core/payout/Payout"
import { signedFor } from "@bursar/core/payout/signedUnstored"
import type { ChainError } from "@bursar/core/port/Chain"
import type { CannotBuild, TransactionStatus } from "@bursar/core/port/ChainSender"
import type { SigningRefused } from "@bursar/core/port/TransactionSigner"
import type { ReleaseOutcome } from "@bursar/core/transaction/PurposeRule"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { utxosSpent } from "@bursar/core/transaction/utxosSpent"
import { Clock, Effect, Result } from "effect"
import { delaySending } from "./delaySending.ts"
import { lostUtxos } from "./lostUtxos.ts"
import { lowestMaker } from "./lowestMaker.ts"
import { givenFor } from "./objectionTo.ts"
import { recoverSigned } from "./recoverSigned.ts"
import { type OwnedTransaction, retryAt, type Send, unresolvedAfter } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** An outbound transaction of which nothing is stored as signed, with the operations that it pays. */
interface Unsigned {
  readonly owned: OwnedTransaction
  readonly operations: ReadonlyArray<Operation>
}

/**
 * What becomes of an outbound transaction whose payouts the signer has signed for before. Each of several is asked for by itself: one that was signed for
 * waits for an operator with what may have paid that one, and the others are tried again.
 */
const whereSigned = Effect.fnUntraced(function* (
  { operations, owned }: Unsigned,
  answering: ReadonlyArray<string>,
  at: Timestamp
) {
  if (operations.length <= 1) return { _tag: "Hold", ...signedBefore(answering) } satisfies ReleaseOutcome
  const held = new Map<string, Pick<PayoutWaits, "detail" | "reason">>()
  for (const operation of operations) {
    const hashes = (yield* signedFor(operation, owned.transaction.network)).map(({ hash }) => hash)
    if (hashes.length > 0) held.set(operation.id, signedBefore(hashes))
  }
  const detail = `The signer has signed for another payout of its batch before, in ${answering.join(" and ")}.`
  return { _tag: "Requeue", reason: "batch_signed_before", detail, at, alone: false, held } satisfies ReleaseOutcome
})

/** What the signer has signed for an outbound transaction, and what becomes of it where that keeps it from being tried again. */
const askSigner = Effect.fnUntraced(function* (
  send: Send,
  unsigned: Unsigned,
  { askedAt, isUsedUp }: { readonly askedAt: Timestamp; readonly isUsedUp: boolean }
) {
  const recovered = yield* recoverSigned(send, unsigned.owned, unsigned.operations, isUsedUp)
  // what was signed in its place, and answers to no request of its, pays none of its payouts
  const answering = recovered._tag === "Other" ? recovered.answering : []
  const instead: ReleaseOutcome | undefined =
    answering.length === 0 ? undefined : yield* whereSigned(unsigned, answering, askedAt)
  return { recovered, instead }
})

/** What the chain says of UTXOs of which a foreign transaction has spent one for good. */
type Replaced = Extract<TransactionStatus, { readonly _tag: "Invalidated" }>

/**
 * Gives an outbound transaction up of which nothing was signed, by the word of the signer: what it has signed and the service has lost is
 * stored instead, and given back to go on with, or kept for as long as it may not leave. `replaced` says that a UTXO of its guard is spent on the chain,
 * by something lost as may be: then that is stored whatever stands against it, and followed before anything is given away. Null where nothing goes on.
 */
const giveUp = Effect.fnUntraced(function* (
  send: Send,
  unsigned: Unsigned,
  outcome: ReleaseOutcome,
  replaced?: Replaced
) {
  const { currencies } = send
  const { owned } = unsigned
  const { tenantId, transaction } = owned
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* Effect.result(askSigner(send, unsigned, { askedAt, isUsedUp: replaced !== undefined }))
  if (Result.isFailure(found)) {
    const { failure } = found
    if (failure._tag !== "VaultError") return yield* failure
    yield* delaySending(send, owned, failure.message)
    return null
  }
  const { instead, recovered } = found.success
  if (recovered._tag === "Stored") return replaced === undefined ? recovered.newest : null
  if (recovered._tag === "Kept") {
    const { hashes, objection } = recovered
    yield* delaySending(
      send,
      owned,
      `The signer has signed ${hashes.join(" and ")} for it, which is not sent now: ${objection.detail}`
    )
    return null
  }
  if (recovered._tag === "Stale") return null
  const ends = instead ?? outcome
  const released = yield* submitSend(
    send,
    tenantId,
    releaseTransaction({
      transaction,
      outcome: ends,
      askedAt,
      isGuardSigned: recovered._tag === "Other" && recovered.isGuardSigned,
      ...(replaced !== undefined && { spent: utxosSpent(transaction.guard, replaced) }),
      evidence: yield* givenFor(owned, unsigned.operations),
      currencies,
      purposes
    })
  )
  if (released === null) return null
  yield* Effect.logWarning("transaction.given_up").pipe(
    Effect.annotateLogs({
      tenant: tenantId,
      transaction: transaction.id,
      reason: ends.reason,
      ...(ends._tag !== "Fail" && { detail: ends.detail })
    })
  )
  return null
})

/** When to try again what nothing was signed for. Its tries are not counted: the longer ago its payout was asked for, the later. */
const againAt = (send: Send, { operations }: Unsigned, now: Timestamp): Timestamp =>
  Math.max(
    retryAt(send, now, 1),
    ...operations.map(({ createdAt }) => now + backoffMs(now - createdAt, 0, send.limits.retryLongestMs))
  )

/** What becomes of an outbound transaction that cannot be built as it is. */
export const giveUpUnbuildable = Effect.fnUntraced(function* (
  send: Send,
  unsigned: Unsigned,
  { detail, reason, retryAfterMs = 0 }: Pick<CannotBuild, "detail" | "reason" | "retryAfterMs">
) {
  const { transaction } = unsigned.owned
  const count = transaction.payments.length
  // a number whose payment was given up has to be used up all the same, and fees come down again
  const nothing = count === 0 && transaction.trustlines.length === 0
  if (nothing || reason === "fee_capped") {
    yield* delaySending(send, unsigned.owned, detail)
    return null
  }
  const now = yield* Clock.currentTimeMillis
  if (reason === "destination_invalid" && count === 1) return yield* giveUp(send, unsigned, { _tag: "Fail", reason })
  // which of several is to blame nobody knows: each is tried by itself at once, unless it is the nodes that differ
  const alone = count > 1 && reason !== "node_unreadable"
  const at = alone ? now : Math.max(now + retryAfterMs, againAt(send, unsigned, now))
  return yield* giveUp(send, unsigned, { _tag: "Requeue", reason, detail, at, alone })
})

/**
 * Whether a foreign transaction has spent an output that an outbound transaction is to spend, of which nothing is signed: by somebody else who has the key,
 * or by what was signed before the database was restored. Asked only where a node does not find one; undefined where that may yet change.
 */
const spentElsewhere = Effect.fnUntraced(function* ({ sender }: Send, owned: OwnedTransaction) {
  const { from, guard } = owned.transaction
  if (guard._tag !== "Utxos") return undefined
  const madeSince = yield* lowestMaker(owned)
  const told = yield* Effect.result(sender.status({ from, guard, ...(madeSince !== undefined && { madeSince }) }, []))
  if (Result.isFailure(told)) return undefined
  const status = told.success
  if (status._tag !== "Invalidated" || status.reason !== "replaced_on_chain") return undefined
  // where none is said to be spent, that contradicts itself
  return utxosSpent(guard, status).length > 0 ? status : undefined
})

/**
 * Whether a sweep of several UTXOs, of which nothing is signed, has waited for long: what is wrong may be wrong with one of them alone. Payouts are not
 * given up so: they stay where operators see them.
 */
export const isStuckSweep = (send: Send, { transaction }: OwnedTransaction, now: Timestamp): boolean =>
  transaction.purpose === "SWEEP" &&
  transaction.guard._tag === "Utxos" &&
  transaction.guard.utxos.length > 1 &&
  now - transaction.reservedAt >= unresolvedAfter(send)

/** Gives up a sweep that is stuck, so that fewer of its deposits are tried together. */
export const giveUpStuck = Effect.fnUntraced(function* (send: Send, unsigned: Unsigned, detail: string) {
  const at = yield* Clock.currentTimeMillis
  return yield* giveUp(send, unsigned, { _tag: "Requeue", reason: "sweep_stuck", detail, at, alone: true })
})

/**
 * What becomes of an outbound transaction that a node could not be asked about, or that it said nothing of. Where an output that it spends has left
 * the chain, or was spent by somebody else, it never will be built: what it was for is done in another way. Else it is tried again.
 */
export const giveUpUnread = Effect.fnUntraced(function* (send: Send, unsigned: Unsigned, failure: ChainError) {
  const { owned } = unsigned
  const [lost] = yield* lostUtxos(owned)
  const replaced = lost === undefined && failure.reason === "absent" ? yield* spentElsewhere(send, owned) : undefined
  const at = yield* Clock.currentTimeMillis
  if (lost === undefined && replaced === undefined) {
    if (isStuckSweep(send, owned, at)) return yield* giveUpStuck(send, unsigned, failure.message)
    yield* delaySending(send, owned, failure.message)
    return null
  }
  const detail =
    replaced === undefined
      ? `Its output ${lost?.txHash}:${lost?.vout} is not on the chain any more.`
      : `An output of it was spent by another transaction: ${replaced.detail}.`
  const outcome = { _tag: "Requeue", reason: "insufficient_wallet", detail, at, alone: false } as const
  return yield* giveUp(send, unsigned, outcome, replaced)
})

/**
 * What becomes of an outbound transaction that the signer refuses. It is tried again only where time mends that: each try takes a number, and one
 * that others came after has to be used up, for a fee.
 */
export const giveUpRefused = Effect.fnUntraced(function* (
  send: Send,
  unsigned: Unsigned,
  { reason: detail, retryAfterMs }: Pick<SigningRefused, "reason" | "retryAfterMs">
) {
  const { transaction } = unsigned.owned
  const count = transaction.payments.length
  if (count === 0 && transaction.trustlines.length === 0) {
    yield* delaySending(send, unsigned.owned, detail)
    return null
  }
  const now = yield* Clock.currentTimeMillis
  const reason = "signing_refused"
  if (count > 1) return yield* giveUp(send, unsigned, { _tag: "Requeue", reason, detail, at: now, alone: true })
  if (retryAfterMs === undefined) return yield* giveUp(send, unsigned, { _tag: "Hold", reason, detail })
  const at = Math.max(now + retryAfterMs, againAt(send, unsigned, now))
  return yield* giveUp(send, unsigned, { _tag: "Requeue", reason, detail, at, alone: false })
})

/** Takes an outbound transaction back, because one of its payouts may not leave. Those that may are put into another at once. */
export const giveUpUnwanted = Effect.fnUntraced(function* (
  send: Send,
  unsigned: Unsigned,
  { detail, reason }: Objection
) {
  const at = yield* Clock.currentTimeMillis
  return yield* giveUp(send, unsigned, { _tag: "Requeue", reason, detail, at, alone: false })
})
