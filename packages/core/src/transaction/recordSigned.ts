import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { canMoveTransaction, moveTransaction, transactionReads, staleTransaction } from "./moveTransaction.ts"
import { OutboundTransaction, payable } from "./OutboundTransaction.ts"
import { type PurposeRules, ruleOf, type SigningConditions } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"
import { ownArrivalReads, type OwnTransaction, takeBackOwn } from "../operation/ownArrivals.ts"
import type { Operation } from "../operation/Operation.ts"
import { TransactionAttempt, attemptKey } from "./TransactionAttempt.ts"

/** A transaction that the vault has signed for an outbound transaction, before anybody else has seen it. */
export interface RecordSigned {
  /** As it was read, and built from. */
  readonly transaction: OutboundTransaction
  readonly hash: string
  readonly raw: Uint8Array
  readonly validUntil: Timestamp | null
  readonly feeMax: bigint
  /** The operations that it pays. */
  readonly pays: ReadonlyArray<string>
  /** The hash of the one that it replaces; null for the first. */
  readonly replaces: string | null
  /** Whether only the signer remembered it, by which it was signed for just what it pays. Default false. */
  readonly isLost?: boolean
  /** What was booked of what it brought, as it was read (`Operation`s by its hash): it was signed before, and the chain was read since. None where absent. */
  readonly booked?: ReadonlyArray<Operation>
  /** What has to hold for the first attempt to be stored, and for one that replaces it before payouts were sent. Others move nothing that the first does not. */
  readonly conditions: SigningConditions
  readonly purposes: PurposeRules
}

/**
 * Whether a transaction pays what is to be paid now. One that replaces another may pay what was cancelled while it was signed, too, and one that was lost may
 * leave out what was cancelled before that: it is stored, so that what comes after it is known to take its place, and not sent.
 */
const paysWhatIsWanted = (
  transaction: OutboundTransaction,
  { isLost = false, pays, replaces }: Pick<RecordSigned, "isLost" | "pays" | "replaces">
): boolean => {
  const wanted = payable(transaction)
  const mayBePaid = replaces === null ? wanted : [...wanted, ...transaction.cancelled]
  const paysAll = wanted.every((id) => pays.includes(id)) || (isLost && replaces !== null)
  return paysAll && pays.every((id) => mayBePaid.includes(id))
}

/** Why a signed transaction is not one of its outbound transaction any more; undefined where it is. */
const objectionTo = (view: View, transaction: OutboundTransaction, signed: RecordSigned): string | undefined => {
  const { conditions, pays, purposes, replaces } = signed
  const trigger = transaction.hashes.length === 0 ? "signed" : "feeBumped"
  if (!canMoveTransaction(transaction, trigger)) return `The outbound transaction is ${transaction.phase}.`
  if (replaces !== (transaction.hashes.at(-1) ?? null))
    return "Another transaction was signed for the outbound transaction since."
  if (signed.transaction.givenUpAfter !== transaction.givenUpAfter) return "What it moves was given up since."
  // what expires can only be waited for: a second transaction would be a second payment
  if (replaces !== null && transaction.guard._tag === "Expiry") return "Nothing can be replaced on this network."
  if (!paysWhatIsWanted(transaction, signed)) return "The outbound transaction pays others than the transaction does."
  const contradiction = ruleOf(purposes, transaction).contradiction(view, transaction, pays)
  if (contradiction !== undefined) return contradiction
  // what replaces an attempt moves nothing that it does not; but payouts of which none was sent leave by it for the first time
  const leaves =
    trigger === "signed" || (transaction.purpose === "PAYOUT" && transaction.sentAt === null && pays.length > 0)
  if (!leaves) return undefined
  if (!conditions.purposes.includes(transaction.purpose))
    return "The outbound transaction is for something else than was looked at."
  const objection = conditions.objection(view, transaction)
  return objection === undefined ? undefined : `The outbound transaction may not be signed: ${objection}.`
}

const brought = ({ booked = [], hash, transaction }: RecordSigned): OwnTransaction => ({
  network: transaction.network,
  txHash: hash,
  booked
})

/**
 * Stores a signed transaction, before any broadcast. From now on its outbound transaction can end by proof alone. `stale`, so that the
 * bytes are thrown away unseen: the outbound transaction has another signed transaction than the one that this one says it replaces, or
 * another set of payments than it pays, or is over; what it pays is in another outbound transaction; the same transaction was signed
 * for another outbound transaction; it is the first that payouts leave by, and its conditions do not hold any more. The same one again changes nothing.
 * What was booked as from outside of what it brought is taken back (`takeBackOwn`).
 */
export const recordSigned = (signed: RecordSigned): Command<TransactionAttempt> => ({
  name: "RecordSigned",
  reads: [
    ...transactionReads(ruleOf(signed.purposes, signed.transaction), signed.transaction),
    readRecord(TransactionAttempt, attemptKey(signed.transaction.network, signed.hash)),
    ...ownArrivalReads(brought(signed)),
    ...signed.conditions.reads
  ],
  decide: (view) => {
    const { feeMax, hash, pays, purposes, raw, replaces, validUntil } = signed
    const transaction = view.get(OutboundTransaction, signed.transaction.id)
    if (transaction === undefined) return Result.fail(staleTransaction("There is no such outbound transaction."))
    const known = view.get(TransactionAttempt, attemptKey(transaction.network, hash))
    if (known !== undefined) {
      return known.transactionId === transaction.id
        ? Result.succeed({ changes: [], reply: known })
        : Result.fail(staleTransaction("The same transaction was signed for another outbound transaction."))
    }
    const objection = objectionTo(view, transaction, signed)
    if (objection !== undefined) return Result.fail(staleTransaction(objection))
    const takenBack = takeBackOwn(view, brought(signed))
    if (takenBack === undefined) return Result.fail(staleTransaction("What it brought was booked since."))
    const rule = ruleOf(purposes, transaction)
    const attempt: TransactionAttempt = {
      network: transaction.network,
      hash,
      transactionId: transaction.id,
      raw,
      validUntil,
      replaces,
      pays,
      feeMax,
      signedAt: view.now,
      sentAt: null
    }
    const after = moveTransaction(view, rule, {
      before: transaction,
      trigger: transaction.hashes.length === 0 ? "signed" : "feeBumped",
      patch: {
        hashes: [...transaction.hashes, hash],
        feeMax,
        // it is given to a node at once, and if it is a replacement it bids more
        asked: null,
        problem: null,
        signingUntil: null,
        signedAt: transaction.signedAt ?? view.now
      }
    })
    return Result.succeed({
      changes: [
        putRecord(TransactionAttempt, attempt),
        ...after.changes,
        ...takenBack,
        ...rule.signed(view, transaction, attempt),
        schedule(transactionQueue(transaction.network), transaction.id, view.now)
      ],
      reply: attempt
    })
  }
})
