import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { OutboundTransaction, receiverKey } from "../transaction/OutboundTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { isPlausibleCost } from "../transaction/plausibleCost.ts"
import type { NetworkLimits, NetworkTraits } from "../money/Network.ts"
import type { Proof } from "../port/ChainSender.ts"
import { asEvidence } from "./asEvidence.ts"
import { isEarlier } from "./evidenceOf.ts"
import { type GivenBefore, givesPlace, notGiven } from "./givenBefore.ts"
import { wasTold } from "./holdSignedBefore.ts"
import { Payout } from "./Payout.ts"
import { payoutQueue } from "./payoutQueue.ts"
import {
  evidenceKey,
  firstKeyOf,
  isDenied,
  isSetAside,
  PayoutEvidence,
  setAside,
  sharedEvidenceKey
} from "./PayoutEvidence.ts"
import type { View } from "../engine/View.ts"
import { Operation } from "../operation/Operation.ts"

/** What an operator knows of a payout. */
export interface AttachEvidence {
  /** As it was read. */
  readonly payout: Payout
  /** In the network's own form (`canonicalHash`); null where it is a note alone. */
  readonly txHash: string | null
  readonly note: string
  readonly by: string
  /** For what the transaction was given before, as it was read (`givenBefore`); for nothing where absent. */
  readonly before?: GivenBefore
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

const outboundOf = (view: View, id: string | null): OutboundTransaction | undefined =>
  id === null ? undefined : view.get(OutboundTransaction, id)

/**
 * Whether one transaction may have made a payout and another one: they do not pay the same receiver. With a memo that cannot be told: one payment may
 * be to an account with a memo and to a part of it that has an address of its own.
 */
const mayBothBePaid = (payout: Payout, other: Payout): boolean =>
  payout.memo === null && other.memo === null && receiverKey(other) !== receiverKey(payout)

/** Whether a transaction speaks for payouts without a memo under keys of their own: one of these may be paid by the payment to a memo. */
const mayPayAnother = (payout: Payout, first: PayoutEvidence | undefined): boolean =>
  payout.memo !== null && (first?.sharedCount ?? 0) > 0

/** Evidence, the first by its transaction, with more or less that stands beside it. */
const beside = (first: PayoutEvidence, more: number): PayoutEvidence => ({
  ...first,
  sharedCount: (first.sharedCount ?? 0) + more
})

/**
 * Stores what an operator knows of a payout; where it names a transaction, the chain is asked about it. The same transaction again
 * changes nothing. Where the chain has denied that it made another payout, or that is over without it and the chain is not asked about it any more, that one does not keep it: its evidence is set aside.
 * Of a payout that is over the chain is asked about what was signed for it and is not what has settled it (`hearAfterEnd`).
 * Refused: `not_found`; another transaction for a payout that is over; one of which nothing was signed that its operator was told of, or that is known as
 * another payout's that may be paid by the same payment, or as that of several that the chain has not denied where this one has a memo (`state_conflict`); `stale` where the payout has moved on since it was read.
 */
export const attachEvidence = ({
  before = notGiven,
  by,
  note,
  payout: read,
  txHash
}: AttachEvidence): Command<PayoutEvidence> => ({
  name: "AttachEvidence",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    ...(read.transactionId === null ? [] : [readRecord(OutboundTransaction, read.transactionId)]),
    ...(txHash === null
      ? []
      : [
          readRecord(PayoutEvidence, evidenceKey(read.network, txHash, "")),
          readRecord(PayoutEvidence, sharedEvidenceKey(txHash, read)),
          ...before.holders.map((id) => readRecord(Operation, id)),
          readRecord(TransactionAttempt, attemptKey(read.network, txHash))
        ])
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (payout === undefined || operation === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such payout." }))
    const { network, operationId, transactionId } = payout
    const transaction = transactionId === read.transactionId ? outboundOf(view, transactionId) : undefined
    const sent = txHash === null ? undefined : view.get(TransactionAttempt, attemptKey(network, txHash))
    // of one of which nothing is signed now only what has expired, or what its operator was told of, may be on the chain
    const hasExpired = sent !== undefined && isEarlier(payout, sent)
    const isHeld = transactionId === null && txHash !== null && (wasTold(payout, [txHash]) || hasExpired)
    // it was signed for the payout, and may have paid what something else has paid, or what has failed
    const isOwn = sent !== undefined && sent.pays.includes(operationId) && txHash !== operation.txHash
    const isHeardAfter = isOver(operation.status) && isOwn
    const ask =
      transactionId !== null && !isOver(operation.status)
        ? [schedule(transactionQueue(network), transactionId, view.now)]
        : [schedule(payoutQueue(network), operationId, view.now)]
    let key = evidenceKey(network, txHash, view.newId())
    let replaced: PayoutEvidence | undefined
    let shares: PayoutEvidence | undefined
    let more = 1
    let ofTransaction: Pick<PayoutEvidence, "costBorneBy" | "sharedCount"> = {
      sharedCount: txHash === null || payout.memo === null ? 0 : null,
      costBorneBy: null
    }
    if (txHash !== null) {
      const first = view.get(PayoutEvidence, key)
      const shared = view.get(PayoutEvidence, sharedEvidenceKey(txHash, payout))
      const there = [first, shared].find((one) => one?.operationId === operationId)
      if (there !== undefined)
        return Result.succeed({ changes: isHeld || isOver(operation.status) ? ask : [], reply: there })
      const isFree = (one: PayoutEvidence) => givesPlace(view, one, before)
      const isAnother =
        first !== undefined &&
        before.first?.operationId === first.operationId &&
        mayBothBePaid(payout, before.first) &&
        !isFree(first)
      const given = [shared, isAnother ? undefined : first].filter((one) => one !== undefined)
      const taken = given.find((one) => !isFree(one))
      if (taken !== undefined) return conflict(`That transaction was given for payout ${taken.operationId}.`)
      if (mayPayAnother(payout, first))
        return conflict("That transaction was given for several payouts: it cannot speak for one with a memo, too.")
      // of those that pay one receiver never more than one stands at a key of the transaction
      replaced = given[0]
      if (replaced !== undefined) {
        key = replaced.key
        // what is known of the transaction stays with its key
        const sharedCount = payout.memo === null ? (replaced.sharedCount ?? 0) : null
        ofTransaction = { sharedCount, costBorneBy: replaced.costBorneBy }
      } else if (first !== undefined) key = sharedEvidenceKey(txHash, payout)
      if (first !== undefined && key !== first.key) shares = first
      // what is replaced and not denied is counted already
      if (replaced !== undefined && !isDenied(replaced)) more = 0
      if (isOver(operation.status) && !isHeardAfter) return conflict(`The payout is ${operation.status}.`)
      if (transactionId !== read.transactionId)
        return Result.fail(new Refusal({ code: "stale", message: "The state of the payout has changed." }))
      if (!isHeardAfter && (transactionId === null ? !isHeld : transaction?.phase === "RESERVED" && !hasExpired))
        return conflict("Nothing was signed for the payout yet: it is still going to be sent.")
      if (sent !== undefined && sent.transactionId !== transactionId && !hasExpired && !isHeardAfter)
        return conflict("That transaction was signed for something else, and speaks for that.")
    }
    const evidence: PayoutEvidence = {
      key,
      operationId,
      network,
      txHash,
      note,
      givenBy: by,
      givenAt: view.now,
      verdict: null,
      found: null,
      fee: null,
      checkedAt: null,
      ...ofTransaction
    }
    return Result.succeed({
      changes: [
        ...(replaced === undefined ? [] : [putRecord(PayoutEvidence, setAside(replaced, view.newId()))]),
        ...(shares === undefined ? [] : [putRecord(PayoutEvidence, beside(shares, more))]),
        putRecord(PayoutEvidence, evidence),
        ...(txHash === null ? [] : ask)
      ],
      reply: evidence
    })
  }
})

/**
 * Whether what the chain has denied stays denied, whatever it says now: the transaction was given for a payout with a memo and for one without since, and
 * one payment may look like both.
 */
const staysDenied = (evidence: PayoutEvidence, first: PayoutEvidence, payout: Payout | undefined): boolean =>
  first.key === evidence.key ? payout !== undefined && mayPayAnother(payout, first) : first.sharedCount === null

/** How much stands beside evidence that is the first by its transaction, as the chain says now. */
const sharedCountOf = (first: PayoutEvidence, payout: Payout | undefined): number | null => {
  const { sharedCount } = first
  if (payout === undefined || payout.memo === null) return sharedCount
  if (isDenied(first)) return sharedCount ?? 0
  return sharedCount === 0 ? null : sharedCount
}

/** The key of the transaction that some evidence names, where it was signed here; undefined where it names none. */
const attemptOf = ({ network, txHash }: PayoutEvidence): string | undefined =>
  network === null || txHash === null ? undefined : attemptKey(network, txHash)

/** What is found, and what that cost. A cost that cannot be so is booked on no node's word: it counts as not known. */
const foundBy = (
  proof: Proof,
  attempt: TransactionAttempt | undefined,
  { feeMax }: Pick<NetworkLimits, "feeMax">
): Pick<PayoutEvidence, "fee" | "found"> => {
  if (proof.verdict !== "PROVEN") return { found: proof.reason, fee: null }
  const { detail, fee } = proof
  return fee === null || isPlausibleCost(attempt, fee, feeMax)
    ? { found: detail, fee }
    : { found: `${detail}. The node says that it cost ${fee}, which cannot be.`, fee: null }
}

/**
 * Notes what the chain said of a transaction that was given as evidence. What it has proven stays so; what was given for another payout since is nothing.
 * What it has denied stays so where the transaction may have paid another one by the same payment. `limits` are those of its network.
 */
export const recordEvidence = (
  read: PayoutEvidence,
  said: Proof,
  { limits }: Pick<NetworkTraits, "limits">
): Command<PayoutEvidence | null> => ({
  name: "RecordEvidence",
  reads: [
    readRecord(PayoutEvidence, read.key),
    readRecord(Payout, read.operationId),
    ...[firstKeyOf(read)].flatMap((key) => (key === undefined ? [] : [readRecord(PayoutEvidence, key)])),
    ...[attemptOf(read)].flatMap((key) => (key === undefined ? [] : [readRecord(TransactionAttempt, key)]))
  ],
  decide: (view) => {
    const evidence = view.get(PayoutEvidence, read.key)
    const isSame = evidence?.operationId === read.operationId && !isSetAside(evidence)
    if (!isSame || evidence.verdict === "PROVEN") return Result.succeed({ changes: [], reply: null })
    const proof = asEvidence(said)
    const payout = view.get(Payout, read.operationId)
    const firstKey = firstKeyOf(evidence)
    const first = firstKey === undefined ? undefined : view.get(PayoutEvidence, firstKey)
    const isDeniedNow = isDenied(proof)
    if (isDenied(evidence) && !isDeniedNow && first !== undefined && staysDenied(evidence, first, payout))
      return Result.succeed({ changes: [], reply: null })
    const signedAs = attemptOf(read)
    const attempt = signedAs === undefined ? undefined : view.get(TransactionAttempt, signedAs)
    // other words for the same verdict do not make it newer: patience counts from here
    const checkedAt = proof.verdict === evidence.verdict ? evidence.checkedAt : view.now
    const told: PayoutEvidence = { ...evidence, verdict: proof.verdict, ...foundBy(proof, attempt, limits), checkedAt }
    const isFirst = first?.key === evidence.key
    const after = isFirst ? { ...told, sharedCount: sharedCountOf(told, payout) } : told
    const more = Number(isDenied(evidence)) - Number(isDeniedNow)
    const counts = first !== undefined && !isFirst && more !== 0 && first.sharedCount !== null
    return Result.succeed({
      changes: [putRecord(PayoutEvidence, after), ...(counts ? [putRecord(PayoutEvidence, beside(first, more))] : [])],
      reply: after
    })
  }
})
