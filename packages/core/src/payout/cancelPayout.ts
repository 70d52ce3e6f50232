import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { isPut, putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { type Timestamp, toIso } from "../base/Timestamp.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import {
  assignedOf,
  ownArrivalReads,
  type OwnTransaction,
  standingArrivals,
  takeBackOwn
} from "../operation/ownArrivals.ts"
import { signedUnknownUntil } from "../transaction/beingSigned.ts"
import { endTransactionReads, endUnused } from "../transaction/endTransaction.ts"
import { moveTransaction, putTransaction, transactionReads } from "../transaction/moveTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { operationsOf, OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import type { EarlierSignature } from "../port/TransactionSigner.ts"
import type { View } from "../engine/View.ts"
import { endReads, failPayoutOf } from "./endPayout.ts"
import { type KeptSignatures, keptSignatures } from "./keptSignatures.ts"
import { signedBefore } from "./holdSignedBefore.ts"
import { Payout } from "./Payout.ts"
import { payoutRule } from "./payoutRule.ts"
import { standingFor, standingReads } from "./standingEvidence.ts"

/** An operator's wish that a payout is not made. */
export interface CancelPayout {
  /** As it was read. */
  readonly payout: Payout
  /** The outbound transaction that it names, as it was read; undefined where it names none. */
  readonly transaction: OutboundTransaction | undefined
  /** What the signer has signed for the transaction and is not stored, but for what pays others of it alone; nothing where absent. */
  readonly kept?: KeptSignatures
  /** What was booked of what its own of these brought, as it was read (`Operation`s by their hashes); none where absent. */
  readonly booked?: ReadonlyArray<Operation>
  /** The transactions that were given as evidence for the payout, as they were read (`hashesGiven`); none where absent. */
  readonly given?: ReadonlyArray<string>
  /** When the signer was asked for that; long ago where absent. */
  readonly askedAt?: Timestamp
  readonly by: string
  readonly currencies: CurrencyTable
}

/** How a wish to cancel ended. */
export interface Cancelling {
  /** `cancelled`: it is FAILED; `trying`: something was signed, and the chain decides which comes to be. */
  readonly state: "cancelled" | "trying"
  readonly operation: Operation
  /** What operators have assigned of what its own signatures brought, which stays (`tellAssigned`). */
  readonly assigned: ReadonlyArray<Operation>
  /** What was taken back of what these brought, as it is now (`tellShort`). */
  readonly takenBack: ReadonlyArray<Operation>
}

/** Stores what the signer alone has: nobody sends it, and what replaces it leaves out what was cancelled. */
const storeKept = (
  view: View,
  transaction: OutboundTransaction,
  kept: ReadonlyArray<EarlierSignature>
): ReadonlyArray<Change> => {
  const attempts = kept.map(({ feeMax, hash, raw, validUntil }, at): TransactionAttempt => ({
    network: transaction.network,
    hash,
    transactionId: transaction.id,
    raw,
    validUntil,
    replaces: kept[at - 1]?.hash ?? null,
    pays: operationsOf(transaction),
    feeMax: feeMax ?? transaction.feeMax,
    signedAt: view.now,
    sentAt: null
  }))
  const patch = {
    cancelled: transaction.cancelled,
    hashes: attempts.map(({ hash }) => hash),
    feeMax: attempts.at(-1)?.feeMax ?? transaction.feeMax,
    problem: null,
    signingUntil: null,
    signedAt: view.now
  }
  return [
    ...attempts.map((attempt) => putRecord(TransactionAttempt, attempt)),
    ...moveTransaction(view, payoutRule, { before: transaction, trigger: "signed", patch }).changes,
    schedule(transactionQueue(transaction.network), transaction.id, view.now)
  ]
}

/** What the signer alone has, and what was booked of what each brought. */
const broughtBack = (
  { network }: Pick<OutboundTransaction, "network">,
  { own }: KeptSignatures,
  booked: ReadonlyArray<Operation>
): ReadonlyArray<OwnTransaction> =>
  own.map(({ hash }) => ({ network, txHash: hash, booked: booked.filter(({ txHash }) => txHash === hash) }))

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/**
 * Cancels a payout. One of which nothing was signed fails at once (`cancelled_by_operator`) and gives back what it held. Of one that
 * was signed a replacement without it is made under the same replay guard; it fails only by the proof that the chain took that, and is
 * settled if the chain took the other. A signature that only the signer has is stored with that: it is never sent, and what replaces it
 * excludes it. Where the signer has signed something else alone under the guard, a number is used up and not given back.
 * While the signer may yet sign it, nobody knows which of these it is: then it is not cancelled (`signedUnknownUntil`). Refused: `not_found`; a payout that is over, in a block or being signed, that
 * the signer has signed for beside others or under another guard, or of which nothing is signed while evidence speaks for it (`standingFor`) (`state_conflict`); `stale` where it has moved on since it was read.
 */
export const cancelPayout = ({
  askedAt = 0,
  booked = [],
  by,
  currencies,
  given = [],
  kept = keptSignatures([]),
  payout: read,
  transaction: readTransaction
}: CancelPayout): Command<Cancelling> => ({
  name: "CancelPayout",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    ...endReads(read),
    ...standingReads(read.network, read.operationId, given),
    ...(readTransaction === undefined
      ? []
      : [
          ...transactionReads(payoutRule, readTransaction),
          ...kept.own.map(({ hash }) => readRecord(TransactionAttempt, attemptKey(readTransaction.network, hash))),
          ...broughtBack(readTransaction, kept, booked).flatMap(ownArrivalReads),
          ...endTransactionReads(payoutRule, readTransaction, currencies)
        ])
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (payout === undefined || operation === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such payout." }))
    if (isOver(operation.status)) return conflict(`The payout is ${operation.status}.`)
    if (payout.transactionId !== (readTransaction?.id ?? null))
      return Result.fail(new Refusal({ code: "stale", message: "The state of the payout has changed." }))
    const cancelled = { ...payout, cancelledBy: by }
    const now = (of: Payout, more: ReadonlyArray<Change>) => {
      const standing = standingFor(view, payout, given)
      if (standing !== undefined) return conflict(standing)
      return Result.succeed({
        changes: [
          ...failPayoutOf(view, currencies, { operation, payout: of }, "cancelled_by_operator"),
          ...countUsage(view, [operation], -1n),
          ...more
        ],
        reply: { state: "cancelled", operation, assigned: [], takenBack: [] } as const
      })
    }
    const transaction = readTransaction === undefined ? undefined : view.get(OutboundTransaction, readTransaction.id)
    if (transaction === undefined) return now(cancelled, [])
    if (transaction.phase === "INCLUDED" || transaction.phase === "FINAL") return conflict("The payout is in a block.")
    const wanted = [...new Set([...transaction.cancelled, payout.operationId])]
    if (kept.elsewhere.length > 0) return conflict(signedBefore(kept.elsewhere.map(({ hash }) => hash)).detail)
    if (transaction.phase === "RESERVED" && kept.own.length > 0) {
      const known = kept.own.some(({ hash }) => view.get(TransactionAttempt, attemptKey(transaction.network, hash)))
      if (known) return Result.fail(new Refusal({ code: "stale", message: "What was signed for it is stored by now." }))
      const back = broughtBack(transaction, kept, booked).map((own) => takeBackOwn(view, own))
      if (back.includes(undefined))
        return Result.fail(
          new Refusal({ code: "stale", message: "What was signed for it has brought something since." })
        )
      const stored = storeKept(view, { ...transaction, cancelled: wanted }, kept.own)
      const assigned = kept.own.flatMap(({ hash }) =>
        assignedOf(standingArrivals(view.group(Operation, hash), transaction.network))
      )
      const changes = back.flatMap((some = []) => some)
      const takenBack = changes.flatMap((one) =>
        isPut(Operation, one) && one.record.details.reversed_by !== undefined ? [one.record] : []
      )
      return Result.succeed({
        changes: [putRecord(Payout, cancelled), ...stored, ...changes],
        reply: { state: "trying", operation, assigned, takenBack }
      })
    }
    if (transaction.phase === "RESERVED") {
      const known = signedUnknownUntil(transaction, askedAt)
      if (known !== undefined)
        return conflict(
          `The payout is being signed: try again. What comes of it is known at ${toIso(known)} at the latest.`
        )
      const payments = transaction.payments.filter(({ operationId }) => operationId !== payout.operationId)
      const without = { ...cancelled, transactionId: null }
      return now(
        without,
        payments.length === 0
          ? endUnused(view, payoutRule, {
              transaction,
              outcome: "released",
              isGuardSigned: kept.inPlace !== undefined
            })
          : putTransaction(view, payoutRule, { before: transaction, after: { ...transaction, payments } })
      )
    }
    return Result.succeed({
      changes: [
        putRecord(Payout, cancelled),
        ...putTransaction(view, payoutRule, { before: transaction, after: { ...transaction, cancelled: wanted } }),
        schedule(transactionQueue(transaction.network), transaction.id, view.now)
      ],
      reply: { state: "trying", operation, assigned: [], takenBack: [] }
    })
  }
})
