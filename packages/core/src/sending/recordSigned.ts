import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { objectionsTo } from "../leaving/askLeaving.ts"
import { type Leaving, leaveReads } from "../leaving/mayLeave.ts"
import { objectionReads, objectionTo } from "../sweep/sweepObjection.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import {
  canMoveTransaction,
  syncPayoutPhases,
  moveTransaction,
  transactionReads,
  staleTransaction
} from "./moveTransaction.ts"
import { TransactionAttempt, attemptKey } from "../transaction/TransactionAttempt.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { payable, OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { Payout } from "../payout/Payout.ts"
import { Operation } from "../operation/Operation.ts"

/** A transaction that the vault has signed for an outbound transaction, before anybody else has seen it. */
export interface RecordSigned {
  /** As it was read, and built from. */
  readonly transaction: OutboundTransaction
  readonly hash: string
  readonly raw: Uint8Array
  readonly validUntil: Timestamp | null
  readonly feeMax: bigint
  /** The operations that it pays, as they were read. */
  readonly operations: ReadonlyArray<Leaving>
  /** The hash of the one that it replaces; null for the first. */
  readonly replaces: string | null
  /** The sweeps that it moves for, as they were read; none where absent. */
  readonly sweeps?: ReadonlyArray<Sweep>
}

const same = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((id) => other.includes(id))

/**
 * Stores a signed transaction, before any broadcast. From now on its outbound transaction can end by proof alone, and no other outbound transaction can be named
 * by its payouts. `stale`, so that the bytes are thrown away unseen: the outbound transaction has another signed transaction than the one that
 * this one says it replaces, or another set of payments than it pays, or is over; one of its payouts is in another outbound transaction; the
 * same transaction was signed for another outbound transaction; it would move from an address that is held by now, or what is not there any more;
 * it is the first, and one of its payouts may not leave any more (`mayNotLeave`).
 * The same one again changes nothing.
 */
export const recordSigned = (signed: RecordSigned): Command<TransactionAttempt> => ({
  name: "RecordSigned",
  reads: [
    ...transactionReads(signed.transaction),
    readRecord(TransactionAttempt, attemptKey(signed.transaction.network, signed.hash)),
    ...objectionReads(signed.sweeps ?? []),
    ...signed.operations.flatMap(leaveReads)
  ],
  decide: (view) => {
    const { feeMax, hash, operations, raw, replaces, validUntil } = signed
    const pays = operations.map(({ id }) => id)
    const transaction = view.get(OutboundTransaction, signed.transaction.id)
    if (transaction === undefined) return Result.fail(staleTransaction("There is no such outbound transaction."))
    const known = view.get(TransactionAttempt, attemptKey(transaction.network, hash))
    if (known !== undefined) {
      return known.transactionId === transaction.id
        ? Result.succeed({ changes: [], reply: known })
        : Result.fail(staleTransaction("The same transaction was signed for another outbound transaction."))
    }
    const trigger = transaction.hashes.length === 0 ? "signed" : "feeBumped"
    if (!canMoveTransaction(transaction, trigger))
      return Result.fail(staleTransaction(`The outbound transaction is ${transaction.phase}.`))
    if (replaces !== (transaction.hashes.at(-1) ?? null))
      return Result.fail(staleTransaction("Another transaction was signed for the outbound transaction since."))
    // what expires can only be waited for: a second transaction would be a second payment
    if (replaces !== null && transaction.guard._tag === "Expiry")
      return Result.fail(staleTransaction("Nothing can be replaced on this network."))
    if (!same(pays, payable(transaction)))
      return Result.fail(staleTransaction("The outbound transaction pays others than the transaction does."))
    const strange = pays.find((id) => view.get(Payout, id)?.transactionId !== transaction.id)
    if (transaction.purpose === "PAYOUT" && strange !== undefined)
      return Result.fail(staleTransaction(`Payout ${strange} is in another outbound transaction.`))
    // what replaces a transaction moves nothing that the first one does not
    const objection =
      trigger === "signed"
        ? (objectionTo(view, transaction, signed.sweeps ?? []) ??
          [...objectionsTo(view, signed.operations).values()].at(0)?.detail)
        : undefined
    if (objection !== undefined)
      return Result.fail(staleTransaction(`The outbound transaction may not be signed: ${objection}.`))
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
    const after = moveTransaction(view, transaction, trigger, {
      hashes: [...transaction.hashes, hash],
      feeMax,
      // it is given to a node at once, and if it is a replacement it bids more
      asked: null,
      problem: null,
      signedAt: transaction.signedAt ?? view.now
    })
    return Result.succeed({
      changes: [
        putRecord(TransactionAttempt, attempt),
        ...after.changes,
        ...syncPayoutPhases(view, after.transaction),
        ...pays.flatMap((id): ReadonlyArray<Change> => {
          const operation = view.get(Operation, id)
          return operation === undefined ? [] : [putRecord(Operation, { ...operation, providerReference: hash })]
        }),
        schedule(transactionQueue(transaction.network), transaction.id, view.now)
      ],
      reply: attempt
    })
  }
})
